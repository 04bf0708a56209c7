// A real table: sorted by its headings, filtered by words, a page at a time.

const PAGE = 25;
const PRINTED = 400; // rows of a table on paper

function compare(a, b) {
  const empty = (value) => value === null || value === undefined || Number.isNaN(value);
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

const WIDEST = 230; // pixels of a name in a table; the whole of it is its title

function nameCell(value) {
  const text = fit(value || "(no name)", WIDEST, 14);
  const title = text === value ? null : value;
  if (!canSelect(value)) return el("span", { title }, text);
  return el("button", {
    type: "button", class: "name", "data-name": value, title, "aria-haspopup": "dialog",
    onclick: (event) => openSheet(value, event.currentTarget),
  }, text);
}

function words(column, row) {
  const value = row[column.key];
  const write = column.signed ? signed : show;
  if (column.kind !== "range") return write(value, column.digits);
  const end = row[column.to];
  return isNumber(value) && isNumber(end) ? `${write(value, column.digits)} ${column.between} ${write(end, column.digits)}` : "–";
}

function cell(column, row, isHead) {
  const value = row[column.key];
  const number = column.kind === "number" || column.kind === "range";
  const node = el(isHead ? "th" : "td", { class: number ? "number" : `is-${column.kind}`, scope: isHead ? "row" : null });
  if (column.kind === "zone" && value) node.append(el("span", { class: "zone", "data-zone": value }, value));
  else if (column.kind === "name" && value !== null && value !== undefined) node.append(nameCell(value));
  else if (column.kind === "code" && value) node.append(el("code", {}, value));
  else node.append(words(column, row));
  return node;
}

function makeTable(section, rows) {
  const columns = section.columns.filter((c) => rows.some((row) => ![null, undefined, ""].includes(row[c.key])));
  const state = { key: null, down: false, words: [], at: 0, rows, page: isOnPaper ? PRINTED : PAGE };
  const names = section.columns.filter((c) => c.kind === "name").map((c) => c.key);
  const body = el("tbody");
  const count = el("span", { role: "status" });
  const heads = columns.map((column) => {
    const button = el("button", { type: "button", onclick: () => sortBy(column) }, column.label);
    const isNumeric = column.kind === "number" || column.kind === "range";
    return el("th", { scope: "col", class: isNumeric ? "number" : null }, button);
  });
  const table = el("table", {},
    el("caption", { class: "unseen" }, section.title), el("thead", {}, el("tr", {}, heads)), body);
  const back = el("button", { type: "button", onclick: () => turn(-1) }, "Previous");
  const next = el("button", { type: "button", onclick: () => turn(1) }, "Next");

  function sortBy(column) {
    state.down = state.key === column.key ? !state.down : false;
    state.key = column.key;
    state.at = 0;
    heads.forEach((head, k) => {
      if (columns[k] === column) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    arrange();
  }
  function turn(step) { state.at += step * state.page; fill(); }
  function arrange() {
    const matches = (row) => {
      const text = columns.map((c) => (isNumber(row[c.key]) ? "" : row[c.key] ?? "")).join("\n").toLowerCase();
      return state.words.every((word) => text.includes(word));
    };
    state.rows = state.words.length ? rows.filter(matches) : rows.slice();
    if (state.key !== null) {
      const sign = state.down ? -1 : 1;
      const empty = (row) => row[state.key] === null || row[state.key] === undefined;
      // What is missing stays last either way.
      state.rows.sort((a, b) => (empty(a) || empty(b)
        ? empty(a) - empty(b) : sign * compare(a[state.key], b[state.key])));
    }
    fill();
  }
  function mark() {
    for (const row of body.children) row.classList.toggle("selected", selection.name !== null && row.names.includes(selection.name));
  }
  function fill() {
    const shown = state.rows.slice(state.at, state.at + state.page);
    body.replaceChildren(...shown.map((row) => Object.assign(
      el("tr", {}, columns.map((c, k) => cell(c, row, k === 0))), { names: names.map((key) => row[key]) })));
    mark();
    const last = Math.min(state.at + state.page, state.rows.length);
    const of = state.rows.length === rows.length ? `${rows.length}` : `${state.rows.length} found of ${rows.length}`;
    count.textContent = state.rows.length > state.page ? `${state.at + 1} to ${last} of ${of}` : `${of} row${of === "1" ? "" : "s"}`;
    back.hidden = next.hidden = state.rows.length <= state.page;
    back.disabled = state.at === 0;
    next.disabled = last >= state.rows.length;
  }
  const filter = el("input", {
    type: "search", placeholder: "Filter", "aria-label": `Filter the table: ${section.title}`,
    oninput: (event) => {
      state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      state.at = 0;
      arrange();
    },
  });
  selection.watch(mark);
  // On paper nobody can turn a page.
  onPaper((isPaper) => {
    if (rows.length <= PAGE) return;
    state.page = isPaper ? PRINTED : PAGE;
    state.at = 0;
    fill();
  });
  fill();
  return el("div", { class: "table" },
    el("div", { class: "bar" }, rows.length > 12 ? filter : null, count, back, next,
      el("span", { class: "grow" }), download(`${section.id}.csv`, section.columns, () => rows)),
    el("div", { class: `wrap${columns.length < 4 ? " few" : columns.length > 8 ? " many" : ""}`, tabindex: "0", role: "region", "aria-label": `Table: ${section.title}` }, table));
}
