// Puts the page together from the view.

const CHARTS = { forest, pairs, waterfall, bars, dots, stack, curve, whatif, heat, tree, map };
const drawn = [];
const makers = []; // of tables that are still closed

function verdictCard() {
  const { tone, head, lines } = view.verdict;
  return el("section", { class: "card verdict", "data-tone": tone, "aria-label": "Verdict" },
    el("div", {}, el("p", { class: "eyebrow" }, view.title), el("h1", {}, head), lines.map((text) => el("p", {}, text))),
    view.tiles.length ? el("dl", { class: "tiles" }, view.tiles.map((tile) => el("div", {},
      el("dt", {}, tile.label), el("dd", { "data-zone": tile.zone }, tile.value)))) : null);
}

function notesCard() {
  if (!view.notes.length) return null;
  const items = (from, to) => el("ul", {}, view.notes.slice(from, to).map((note) => el("li", {}, note)));
  return el("section", { class: "card notes", id: "notes" }, el("h2", {}, "What to know"), items(0, 8),
    view.notes.length > 8 ? el("details", {}, el("summary", {}, `${view.notes.length - 8} more`), items(8)) : null);
}

function whyCard() {
  const reasons = view.reasons ?? [];
  if (!reasons.length) return null;
  const items = (from, to) => el("ul", {}, reasons.slice(from, to).map((text) => el("li", {}, text)));
  const hint = Object.keys(view.details ?? {}).length ? el("p", { class: "lead" }, "Select a name in the picture or a table for all its numbers.") : null;
  return el("section", { class: "card notes", id: "why" }, el("h2", {}, "Why"), items(0, 8),
    reasons.length > 8 ? el("details", {}, el("summary", {}, `${reasons.length - 8} more`), items(8)) : null, hint);
}

function mendCard() {
  const remedies = view.remedies ?? [];
  if (!remedies.length) return null;
  return el("section", { class: "card notes", id: "mend" }, el("h2", {}, "What would mend it"),
    el("ul", {}, remedies.map(([text, option]) => el("li", {}, text, option ? el("code", {}, option) : null))));
}

function sectionCard(section) {
  const rows = section.rows_from === "pairs" ? pairRows() : section.rows;
  const card = el("section", { class: section.half ? "card half" : "card", id: section.id, "aria-labelledby": `${section.id}-title` },
    el("h2", { id: `${section.id}-title` }, section.title));
  const lead = el("p", { class: "lead" }, section.text);
  if (!section.chart?.explained) card.append(lead);
  if (section.chart) {
    const chart = CHARTS[section.chart.type](section);
    drawn.push(chart);
    card.append(chart.node);
    if (section.chart.explained) card.append(lead); // the legend says enough to begin with
  }
  if (section.table === "open" && rows.length) card.append(makeTable(section, rows));
  if (section.table === "closed" && rows.length) {
    // Made when it is opened: two hundred sources have a thousand rows here.
    const fold = el("details", {}, el("summary", {}, "Table and data"));
    const make = () => { if (fold.childElementCount === 1) fold.append(makeTable(section, rows)); };
    fold.addEventListener("toggle", make);
    makers.push(make);
    const link = el("div", { class: "bar" }, el("span", { class: "grow" }), download(`${section.id}.csv`, section.columns, () => rows));
    card.append(el("div", { class: "fold" }, fold, link));
    fold.addEventListener("toggle", () => { link.hidden = fold.open; });
  }
  return card;
}

function originCard() {
  const entries = Object.entries(view.provenance ?? {}).filter(([, text]) => text);
  const long = (text) => text.length > 600;
  return el("section", { class: "card", id: "origin" }, el("h2", {}, "Where these numbers come from"),
    el("dl", { class: "origin" }, entries.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, long(text)
      ? el("details", {}, el("summary", {}, "Show"), el("code", {}, text)) : el("code", {}, text))])),
    el("div", { class: "bar" }, "The whole result is inside this file: datakin.report.read_report gives it back."));
}

function wordsCard() {
  if (!view.words) return null;
  return el("details", { class: "more", id: "words" }, el("summary", {}, "Words on this page"),
    el("section", { class: "card", "aria-label": "Words" }, el("dl", { class: "origin" },
      view.words.flatMap(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)]))));
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const button = byId("theme");
  button.textContent = name === "dark" ? "Light" : "Dark";
  button.setAttribute("aria-label", `Switch to ${name === "dark" ? "light" : "dark"} colours`);
  drawAll();
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
prefersDark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
document.documentElement.dataset.theme = prefersDark.matches ? "dark" : "light";

// Sections for those who want to know more stand folded away, below the others.
function moreCards(sections) {
  if (!sections.length) return null;
  const fold = el("details", { class: "more", id: "more" },
    el("summary", {}, `More: ${sections.map((s) => s.short.toLowerCase()).join(", ")}`), sections.map(sectionCard));
  fold.addEventListener("toggle", () => { if (fold.open) drawAll(); });
  return fold;
}

function drawAll() { drawn.forEach((chart) => chart.draw()); }

const main = view.sections.filter((s) => !s.more);
const [first, ...others] = main.map(sectionCard);
byId("main").replaceChildren(...[verdictCard(), first, whyCard(), mendCard(), notesCard(), el("div", { class: "sections" }, others),
  moreCards(view.sections.filter((s) => s.more)), wordsCard(), originCard()].filter(Boolean));
const entries = main.map((s) => [s.id, s.short]);
if (view.notes.length) entries.splice(1, 0, ["notes", "What to know"]);
if (view.remedies?.length) entries.splice(1, 0, ["mend", "What would mend it"]);
if (view.reasons?.length) entries.splice(1, 0, ["why", "Why"]);
if (byId("more")) entries.push(["more", "More"]);
entries.push(["origin", "Origin"]);
byId("nav").replaceChildren(...entries.map(([id, text]) => el("a", { href: `#${id}` }, text)));
byId("foot").textContent = `Made by datakin. This page loads nothing from elsewhere${view.words ? ", and holds no rows of the tables" : ""}.`;
setTheme(document.documentElement.dataset.theme);

const contents = byId("contents");
function showContents(isOpen) {
  contents.setAttribute("aria-expanded", String(isOpen));
  byId("nav").classList.toggle("open", isOpen);
}
contents.addEventListener("click", () => showContents(contents.getAttribute("aria-expanded") !== "true"));
byId("nav").addEventListener("click", (event) => {
  showContents(false);
  if (event.target.hash === "#more") byId("more").open = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { hideTip(); showContents(false); if (sheet.node.hidden) selection.set(null); else closeSheet(); }
});
let last = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === last) return;
  last = innerWidth;
  drawAll();
});
// On paper everything is open, and charts have its colours and its width.
onPaper((isPaper) => {
  if (isPaper) {
    makers.forEach((make) => make());
    document.querySelectorAll("main details:not([open])").forEach((fold) => { fold.open = true; fold.dataset.paper = "yes"; });
  } else {
    document.querySelectorAll("main details[data-paper]").forEach((fold) => { fold.open = false; delete fold.dataset.paper; });
  }
  drawAll();
});
document.documentElement.dataset.ready = "yes";
