// Charts with one row per source: intervals, pairs of intervals, bars, dots; and one bar of shares.

const MOST = 30; // rows of a chart before the rest is folded away
const NARROW = 560; // below this width names stand above their row

// Rows of equal height, each with a name and perhaps a tag; `mark` draws what belongs to a row.
function rowChart(section, groups, values, mark, { height = 26, legends = [], tag = null } = {}) {
  let all = groups.length <= MOST + 5;
  const box = el("div", { class: "chart", tabindex: "0", role: "group" });
  box.setAttribute("aria-label", `Chart: ${section.title}. ${view.selects ? "Arrow keys select a row, Enter opens its details. " : ""}The table has its numbers.`);
  const more = el("button", { type: "button", hidden: all, onclick: () => { all = !all; draw(); } });
  const shown = () => (all ? groups : groups.filter((g, k) => k < MOST || g.rows[0].summary || g.name === selection.name));
  function draw() {
    const width = Math.max(240, box.clientWidth || 640);
    const list = shown();
    const stacked = width < NARROW;
    const tall = height + (stacked ? 14 : 0);
    const tags = list.map((g) => (tag ? tag(g.rows[0]) : null));
    const tagged = Math.max(0, ...tags.map((t) => (t ? widthOf(t[0]) + 16 : 0)));
    const gutter = stacked ? 0 : Math.min(260, 0.3 * width, 14 + Math.max(...list.map((g) => widthOf(g.name))));
    const x = scale(values, gutter + 10, width - 14 - (stacked ? 0 : tagged));
    const bottom = list.length * tall + 4;
    const label = lines(section.chart.axis, width - 8);
    const svg = el("svg", { width, height: bottom + 24 + 15 * label.length, role: "img", "aria-label": section.title });
    const under = el("g");
    svg.append(under);
    axis(svg, x, 0, bottom, label);
    list.forEach((group, k) => {
      const top = k * tall + 2;
      const y = top + (stacked ? 14 : 0) + height / 2;
      const row = el("g", { class: `row${group.name === selection.name ? " selected" : ""}`, "data-name": group.name });
      row.append(el("rect", { x: 0, y: top, width, height: tall, class: "hit" }));
      row.append(stacked
        ? el("text", { x: 4, y: top + 13 }, fit(group.name, width - tagged - 12))
        : el("text", { x: gutter, y: y + 4, "text-anchor": "end" }, fit(group.name, gutter - 4)));
      if (tags[k]) row.append(el("text", { x: width - 4, y: stacked ? top + 13 : y + 4, "text-anchor": "end", class: "tag", style: `fill: ${tags[k][1]}` }, tags[k][0]));
      mark({ row, under, group, x, y, top, height: tall });
      hover(row, () => group.rows.map((r) => tipOf(section, r)).join("\n"));
      if (canSelect(group.name)) row.addEventListener("click", () => openSheet(group.name, box));
      else row.classList.add("fixed");
      svg.append(row);
    });
    box.replaceChildren(svg);
    more.textContent = all ? `Show the first ${MOST}` : `Show all ${groups.length}`;
  }
  box.addEventListener("keydown", (event) => {
    const names = shown().map((g) => g.name).filter(canSelect);
    if (event.key === "Enter" && names.includes(selection.name)) openSheet(selection.name, box);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !names.length) return;
    event.preventDefault();
    const at = names.indexOf(selection.name);
    const name = names[at < 0 ? (step > 0 ? 0 : names.length - 1) : (at + step + names.length) % names.length];
    selection.set(name);
    announce(`${name} selected; Enter opens its details`);
  });
  selection.watch(draw);
  return { node: el("figure", {}, legends.length ? legend(legends) : null, box, more), draw, box };
}

const single = (section) => section.rows.map((row) => ({ name: String(row[section.chart.name]), rows: [row] }));

const zoneBands = () => ZONES.map((zone) => ["box", `var(--${zone}-band)`, `${zone} zone`]);

function drawBands({ under, group, x, top, height }, [low, high]) {
  const r = group.rows[0];
  if (!isNumber(r[high])) return;
  const inside = (value) => Math.min(x.to, Math.max(x.from, x(value)));
  const edges = [x.from, inside(r[low]), inside(r[high]), x.to];
  ZONES.forEach((zone, k) => {
    const width = edges[k + 1] - edges[k];
    if (width > 0) under.append(el("rect", { x: edges[k], y: top, width, height, fill: `var(--${zone}-band)` }));
  });
}

// An interval that may reach beyond the axis: then arrows say so.
function drawInterval({ row, x, y }, low, high, ink, width) {
  const inside = (v) => Math.min(x.to, Math.max(x.from, x(v)));
  row.append(span(inside(low), inside(high), y, ink, width));
  if (x(low) < x.from - 1) row.append(el("path", { d: `M${x.from - 6} ${y}l8 -4v8z`, fill: ink }));
  if (x(high) > x.to + 1) row.append(el("path", { d: `M${x.to + 6} ${y}l-8 -4v8z`, fill: ink }));
}

function forest(section) {
  const { value, low, high, bands, tag, reach } = section.chart;
  const kept = reach ?? section.rows.flatMap((r) => [r[value], r[low], r[high]]);
  const legends = bands ? zoneBands() : [];
  const found = [...new Set(section.rows.map(zoneOf).filter(Boolean))];
  legends.push(...found.map((zone) => [zone, zoneColour(zone), zone]));
  if (section.chart.summary_label) legends.push(["summary", "var(--ink)", section.chart.summary_label]);
  if (section.chart.mark_label) legends.push(["none", "", section.chart.mark_label]);
  const inkOf = (r) => (r.summary ? "var(--ink)" : zoneColour(zoneOf(r)));
  const tagOf = (r) => {
    const digits = Math.abs(r[value]) < 9.95 ? tag.digits : 0; // as sentences have it
    const number = isNumber(r[value]) ? `${signed(r[value], digits)}${tag.unit}${r.mark ?? ""}` : "";
    return [[number, zoneOf(r)].filter(Boolean).join(" · "), inkOf(r)];
  };
  return rowChart(section, single(section), kept, (place) => {
    const { row, group, x, y } = place;
    const r = group.rows[0];
    if (bands) drawBands(place, bands);
    const ink = inkOf(r);
    if (isNumber(r[low])) drawInterval(place, r[low], r[high], ink, 1.75);
    const at = isNumber(r[value]) ? x(r[value]) : NaN;
    if (at >= x.from - 1 && at <= x.to + 1) row.append(marker(r.summary ? "summary" : zoneOf(r), at, y, ink));
  }, { legends, tag: tag ? tagOf : null });
}

const SHAPES = ["summary", "circle", "ambiguous"];
const EQUAL = ["circle", "ambiguous", "negative", "summary", "harmless"]; // of parts of which none is the sum

// Several numbers with intervals in one row: the colour says which, not how good it is.
function pairs(section) {
  const parts = section.chart.series;
  const { bands, equal } = section.chart;
  const hasSum = parts.length > 2 && !equal;
  const shapes = equal ? EQUAL : hasSum ? SHAPES : SHAPES.slice(1);
  const ink = (k) => (hasSum ? (k ? series(k - 1) : "var(--ink)") : series(k));
  const values = section.rows.flatMap((r) => parts.flatMap((s) => [r[s.value], r[s.low], r[s.high]]));
  values.push(section.chart.most ?? 0);
  const legends = [...(bands ? zoneBands() : []), ...parts.map((s, k) => [shapes[k], ink(k), s.label])];
  return rowChart(section, single(section), values, (place) => {
    const { row, group, x, y } = place;
    const r = group.rows[0];
    if (bands) drawBands(place, bands);
    parts.forEach((s, k) => {
      if (!isNumber(r[s.value])) return;
      const at = y + 10 * (k - (parts.length - 1) / 2);
      if (isNumber(r[s.low])) row.append(span(x(r[s.low]), x(r[s.high]), at, ink(k), 1.5));
      row.append(marker(shapes[k], x(r[s.value]), at, ink(k), 4));
    });
  }, { height: 12 * parts.length + 8, legends });
}

function bars(section) {
  const { value, most, tint, digits = 3 } = section.chart;
  const values = [...section.rows.map((r) => r[value]), most ?? 0];
  values.push(1.12 * Math.max(...values.filter(isNumber))); // room for the number beside a bar
  const kinds = tint ? [...new Set(section.rows.map((r) => r[tint]))] : [];
  return rowChart(section, single(section), values, ({ row, group, x, y }) => {
    const r = group.rows[0];
    if (!isNumber(r[value])) return;
    const [a, b] = [x(0), x(r[value])];
    const fill = tint ? series(kinds.indexOf(r[tint])) : "var(--c1)";
    row.append(el("rect", { x: Math.min(a, b), y: y - 7, width: Math.max(1.5, Math.abs(b - a)), height: 14, rx: 2, fill }));
    row.append(el("text", { x: Math.max(a, b) + 5, y: y + 4, class: "tick" }, show(r[value], digits)));
  }, { legends: kinds.map((kind, k) => ["box", series(k), kind]) });
}

function dots(section) {
  const { name, value } = section.chart;
  const kinds = [...new Set(section.rows.map((r) => r[section.chart.series]))];
  const groups = new Map();
  for (const r of section.rows) groups.set(r[name], [...(groups.get(r[name]) ?? []), r]);
  const list = [...groups].map(([key, rows]) => ({ name: String(key), rows }));
  const last = kinds.length - 1;
  const legends = kinds.map((kind, k) => [k === last ? "summary" : "circle", k === last ? "var(--ink)" : series(k), kind]);
  return rowChart(section, list, section.rows.map((r) => r[value]), ({ row, group, x, y }) => {
    for (const r of group.rows) {
      const k = kinds.indexOf(r[section.chart.series]);
      if (isNumber(r[value])) row.append(marker(k === last ? "summary" : "circle", x(r[value]), y, k === last ? "var(--ink)" : series(k), 4));
    }
  }, { legends });
}

// One bar from 0 to 100%: what a prediction is made of. The first part is the target's.
function stack(section) {
  const { name, value } = section.chart;
  const box = chartBox(section);
  const ink = (k) => (k ? series(k) : "var(--own)");
  const text = (r) => `${fit(r[name], 220)} ${show(r[value], 0)}%`;
  function draw() {
    const width = Math.max(240, box.clientWidth || 640);
    const whole = section.rows.reduce((sum, r) => sum + r[value], 0) || 1;
    const svg = el("svg", { width, height: 46, role: "img", "aria-label": section.rows.map(text).join(", ") });
    let at = 0;
    section.rows.forEach((r, k) => {
      const size = (r[value] / whole) * width;
      const g = el("g", { class: `row${r[name] === selection.name ? " selected" : ""}`, "data-name": r[name] });
      g.append(el("rect", { x: at, y: 4, width: Math.max(1, size - 2), height: 38, rx: 3, fill: ink(k) }));
      if (size > 44) g.append(el("text", { x: at + 8, y: 27, class: "inside" }, fit(text(r), (size - 16) / 1.15)));
      g.append(el("rect", { x: at, y: 4, width: Math.max(1, size - 2), height: 38, class: "hit" }));
      if (canSelect(r[name])) g.addEventListener("click", () => openSheet(r[name], box));
      svg.append(hover(g, () => tipOf(section, r)));
      at += size;
    });
    box.replaceChildren(svg);
  }
  selection.watch(draw);
  const entries = section.rows.map((r, k) => ["box", ink(k), text(r), r[name]]);
  return { node: el("figure", {}, box, legend(entries.slice(0, MOST))), draw, box };
}
