// Puts the page together from the view.

const CHARTS = { forest, pairs, bars, dots, line, curve, heat, tree, map };
const drawn = [];

function verdictCard() {
  const { tone, head, lines } = view.verdict;
  return el("section", { class: "card verdict", "data-tone": tone, "aria-label": "Verdict" },
    el("p", { class: "eyebrow" }, view.title), el("h1", {}, head), lines.map((text) => el("p", {}, text)),
    view.tiles.length ? el("dl", { class: "tiles" }, view.tiles.map((tile) => el("div", {},
      el("dt", {}, tile.label), el("dd", { "data-zone": tile.zone }, tile.value)))) : null);
}

function notesCard() {
  if (!view.notes.length) return null;
  const items = (from, to) => el("ul", {}, view.notes.slice(from, to).map((note) => el("li", {}, note)));
  return el("section", { class: "card notes", id: "notes" }, el("h2", {}, "Notes and warnings"), items(0, 8),
    view.notes.length > 8 ? el("details", {}, el("summary", {}, `${view.notes.length - 8} more`), items(8)) : null);
}

function sectionCard(section) {
  const rows = section.rows_from === "pairs" ? pairRows() : section.rows;
  const card = el("section", { class: "card", id: section.id, "aria-labelledby": `${section.id}-title` },
    el("h2", { id: `${section.id}-title` }, section.title), el("p", { class: "lead" }, section.text));
  if (section.chart) {
    const chart = CHARTS[section.chart.type](section);
    drawn.push(chart);
    card.append(chart.node);
  }
  if (section.table === "open" && rows.length) card.append(makeTable(section, rows));
  if (section.table === "closed" && rows.length) {
    // Made when it is opened: two hundred sources have a thousand rows here.
    const fold = el("details", {}, el("summary", {}, "Table and data"));
    fold.addEventListener("toggle", () => {
      if (fold.childElementCount === 1) fold.append(makeTable(section, rows));
    });
    const link = el("div", { class: "bar" }, el("span", { class: "grow" }), download(`${section.id}.csv`, section.columns, () => rows));
    card.append(el("div", { class: "fold" }, fold, link));
    fold.addEventListener("toggle", () => { link.hidden = fold.open; });
  }
  return card;
}

function pairsTable(caption, rows) {
  return el("div", { class: "wrap" }, el("table", {}, el("caption", { class: "unseen" }, caption), el("tbody", {},
    rows.map(([name, value, more]) => el("tr", {}, el("th", { scope: "row" }, name),
      el("td", { class: "number" }, show(value)), more ? el("td", {}, more) : null)))));
}

function sourceDetails(name) {
  const found = view.details[name];
  return [
    el("p", {}, el("span", { class: "zone", "data-zone": found.zone }, found.zone), `: ${found.why}.`),
    el("dl", {}, found.facts.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)])),
    found.models.length > 1 ? [el("h3", {}, "Models"), pairsTable("Score of each model, its weight on the source", found.models.map(
      ([model, score, weight]) => [model, score, isNumber(weight) ? `weight ${show(weight, 2)}` : " "]))] : null,
    found.notes.length ? [el("h3", {}, "Notes"), el("ul", {}, found.notes.map((note) => el("li", {}, note)))] : null,
  ];
}

function datasetDetails(name) {
  const found = neighbours(name);
  const zone = (entry) => (entry.zone ? el("span", { class: "zone", "data-zone": entry.zone }, entry.zone) : null);
  const list = (entries) => entries.map((entry) => [entry.other, entry.score, zone(entry)]);
  return [
    el("dl", {}, el("dt", {}, "Cluster"), el("dd", {}, String(found.cluster)),
      isNumber(found.error) ? [el("dt", {}, "Own error"), el("dd", {}, show(found.error))] : null),
    el("h3", {}, "Nearest"), pairsTable("Nearest datasets", list(found.near)),
    found.far.length && result.names.length > 9 ? [el("h3", {}, "Farthest"), pairsTable("Farthest datasets", list(found.far))] : null,
  ];
}

function side() {
  const node = el("aside", { class: "side", id: "details", "aria-label": "Details of the selected dataset" });
  const what = view.kind === "matrix" ? "dataset" : "source";
  function update(name) {
    node.classList.toggle("on", name !== null);
    const close = el("button", { type: "button", onclick: () => selection.set(name) }, "Close");
    node.replaceChildren(name === null
      ? el("div", { class: "card hint" }, el("h2", {}, "Details"), el("p", { class: "lead" }, `Select a ${what} in a chart or table to see its details here.`))
      : el("section", { class: "card picked" }, el("div", { class: "head" }, el("h2", {}, name), close),
        ...(view.kind === "matrix" ? datasetDetails(name) : sourceDetails(name)).flat().filter(Boolean)));
  }
  selection.watch(update);
  update(null);
  return node;
}

function originCard() {
  const entries = Object.entries(view.provenance ?? {}).filter(([, text]) => text);
  const long = (text) => text.length > 600;
  return el("section", { class: "card", id: "origin" }, el("h2", {}, "Where these numbers come from"),
    el("dl", { class: "origin" }, entries.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, long(text)
      ? el("details", {}, el("summary", {}, "Show"), el("code", {}, text)) : el("code", {}, text))])),
    el("div", { class: "bar" }, "The whole result is inside this file: datakin.report.read_report gives it back."));
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const button = byId("theme");
  button.textContent = name === "dark" ? "Light" : "Dark";
  button.setAttribute("aria-label", `Switch to ${name === "dark" ? "light" : "dark"} colours`);
  drawn.forEach((chart) => chart.draw());
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
document.documentElement.dataset.theme = prefersDark.matches ? "dark" : "light";

const cards = view.sections.map(sectionCard);
const content = el("div", {}, cards, originCard());
byId("main").replaceChildren(verdictCard(), ...[notesCard()].filter(Boolean),
  el("div", { class: `layout${view.selects ? " with-side" : ""}` }, content, view.selects ? side() : null));
byId("nav").replaceChildren(...view.sections.map((s) => el("a", { href: `#${s.id}` }, s.title)), el("a", { href: "#origin" }, "Origin"));
byId("foot").textContent = "Made by datakin. This page loads nothing from elsewhere.";
setTheme(document.documentElement.dataset.theme);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { hideTip(); if (selection.name !== null) selection.set(selection.name); }
});
let last = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === last) return;
  last = innerWidth;
  drawn.forEach((chart) => chart.draw());
});
// Paper is white, and closed tables stay closed on it.
addEventListener("beforeprint", () => drawn.forEach((chart) => chart.draw()));
addEventListener("afterprint", () => drawn.forEach((chart) => chart.draw()));
document.documentElement.dataset.ready = "yes";
