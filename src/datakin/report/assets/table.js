// A real table: sorted by its headings, filtered by words, a page at a time.

const PAGE = 25;

function compare(a, b) {
  const empty = (value) => value === null || value === undefined || Number.isNaN(value);
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function cell(column, row, isHead) {
  const value = row[column.key];
  const number = column.kind === "number";
  const node = el(isHead ? "th" : "td", { class: number ? "number" : `is-${column.kind}`, scope: isHead ? "row" : null });
  if (column.kind === "zone" && value) {
    node.append(el("span", { class: "zone", "data-zone": value }, value));
  } else if (column.kind === "name" && canSelect(value)) {
    node.append(el("button", {
      type: "button", class: "name", "aria-pressed": String(selection.name === value),
      onclick: () => selection.set(value), title: value && value.length > 40 ? value : null,
    }, value || "(no name)"));
  } else {
    node.append(show(value, column.digits));
  }
  return node;
}

function makeTable(section, rows) {
  const columns = section.columns.filter((c) => rows.some((row) => ![null, undefined, ""].includes(row[c.key])));
  const state = { key: null, down: false, words: [], at: 0, rows };
  const names = section.columns.filter((c) => c.kind === "name").map((c) => c.key);
  const body = el("tbody");
  const count = el("span", { role: "status" });
  const heads = columns.map((column) => {
    const button = el("button", { type: "button", onclick: () => sortBy(column) }, column.label);
    return el("th", { scope: "col", class: column.kind === "number" ? "number" : null }, button);
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
  function turn(step) { state.at += step * PAGE; fill(); }
  function arrange() {
    const matches = (row) => {
      const text = columns.map((c) => (c.kind === "number" ? "" : row[c.key] ?? "")).join("\n").toLowerCase();
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
  function fill() {
    const shown = state.rows.slice(state.at, state.at + PAGE);
    body.replaceChildren(...shown.map((row) => {
      const picked = selection.name !== null && names.some((key) => row[key] === selection.name);
      return el("tr", { class: picked ? "selected" : null }, columns.map((c, k) => cell(c, row, k === 0)));
    }));
    const last = Math.min(state.at + PAGE, state.rows.length);
    const of = state.rows.length === rows.length ? `${rows.length}` : `${state.rows.length} found of ${rows.length}`;
    count.textContent = state.rows.length > PAGE ? `${state.at + 1} to ${last} of ${of}` : `${of} row${of === "1" ? "" : "s"}`;
    back.hidden = next.hidden = state.rows.length <= PAGE;
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
  selection.watch(fill);
  fill();
  return el("div", { class: "table" },
    el("div", { class: "bar" }, rows.length > 5 ? filter : null, count, back, next,
      el("span", { class: "grow" }), download(`${section.id}.csv`, section.columns, () => rows)),
    el("div", { class: "wrap", tabindex: "0", role: "region", "aria-label": `Table: ${section.title}` }, table));
}
