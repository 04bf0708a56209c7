// The side sheet: what is known of one source or dataset. It opens on demand and gives focus back.

function pairsTable(caption, rows) {
  return el("div", { class: "wrap" }, el("table", {}, el("caption", { class: "unseen" }, caption), el("tbody", {},
    rows.map(([name, value, more]) => el("tr", {}, el("th", { scope: "row", title: name }, fit(name, 190, 13)),
      el("td", { class: "number" }, show(value)), more ? el("td", {}, more) : null)))));
}

function sourceDetails(name) {
  const found = view.details[name];
  return [
    el("p", {}, el("span", { class: "zone", "data-zone": found.zone }, found.zone)),
    el("p", {}, found.why),
    el("dl", {}, found.facts.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)])),
    found.ladder?.length ? [el("h3", {}, "Why it fails, step by step"), pairsTable("The source's predictor, mended step by step: its loss, and what the step brings", found.ladder)] : null,
    found.models.length > 1 ? [el("h3", {}, "Score by each model"), pairsTable("Score of each model, its weight on the source", found.models.map(
      ([model, score, weight]) => [model, score, isNumber(weight) ? `weight ${show(weight, 2)}` : " "]))] : null,
    found.notes.length ? [el("h3", {}, "Notes"), el("ul", {}, found.notes.map((note) => el("li", {}, note)))] : null,
  ];
}

function datasetDetails(name) {
  const found = neighbours(name);
  const zone = (entry) => (entry.zone ? el("span", { class: "zone", "data-zone": entry.zone }, entry.zone) : null);
  const list = (entries) => entries.map((entry) => [entry.other, entry.score, zone(entry)]);
  return [
    el("dl", {}, el("dt", {}, "Group"), el("dd", {}, found.group),
      isNumber(found.error) ? [el("dt", {}, "Own error"), el("dd", {}, show(found.error))] : null),
    el("h3", {}, "Nearest"), pairsTable("Nearest datasets", list(found.near)),
    found.far.length && result.names.length > 9 ? [el("h3", {}, "Farthest"), pairsTable("Farthest datasets", list(found.far))] : null,
  ];
}

const sheet = { node: byId("details"), opener: null };

function openSheet(name, opener) {
  const head = el("h2", { id: "details-title", tabindex: "-1" }, name || "(no name)");
  const close = el("button", { type: "button", onclick: closeSheet }, "Close");
  const parts = view.kind === "matrix" ? datasetDetails(name) : sourceDetails(name);
  if (sheet.node.hidden) sheet.opener = opener;
  sheet.node.replaceChildren(el("div", { class: "head" }, head, close), ...parts.flat().filter(Boolean));
  sheet.node.hidden = false;
  sheet.node.scrollTop = 0;
  selection.set(name);
  head.focus({ preventScroll: true });
}

function closeSheet() {
  if (sheet.node.hidden) return;
  sheet.node.hidden = true;
  selection.set(null);
  sheet.opener?.focus({ preventScroll: true });
  sheet.opener = null;
}
