// Charts with one row per source: intervals, pairs of intervals, bars and dots.

const MOST = 30; // rows of a chart before the rest is folded away

function ticks(low, high, width) {
  const wanted = Math.max(2, Math.floor(width / 90));
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  return { step, values: found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function scale(values, from, to) {
  const finite = values.filter(isNumber);
  let low = Math.min(0, ...finite);
  let high = Math.max(0, ...finite);
  if (low === high) high = low + 1;
  const room = (high - low) * 0.03;
  if (low < 0) low -= room;
  high += room;
  const to_x = (value) => from + ((value - low) / (high - low)) * (to - from);
  return Object.assign(to_x, { low, high, from, to });
}

function axis(svg, x, top, bottom, label, width) {
  const { values, digits } = ticks(x.low, x.high, x.to - x.from);
  for (const value of values) {
    const at = x(value);
    const zero = Math.abs(value) < 1e-12;
    svg.append(el("line", { x1: at, x2: at, y1: top, y2: bottom, class: zero ? "zero" : "grid" }));
    svg.append(el("text", { x: at, y: bottom + 15, class: "tick", "text-anchor": "middle" }, show(zero ? 0 : value, digits)));
  }
  const words = fit(label, width - 12, 11);
  svg.append(el("text", { x: Math.max(4, Math.min(x.from, width - widthOf(words, 11) - 4)), y: bottom + 32, class: "axis" }, words));
}

function marker(shape, x, y, fill, size = 5) {
  const common = { fill, stroke: "var(--card)", "stroke-width": 1 };
  if (shape === "harmless") return el("circle", { cx: x, cy: y, r: size - 1, fill: "var(--card)", stroke: fill, "stroke-width": 2.5 });
  if (shape === "ambiguous" || shape === "unclear") return el("rect", { x: x - size + 0.5, y: y - size + 0.5, width: 2 * size - 1, height: 2 * size - 1, ...common });
  if (shape === "negative" || shape === "hurts") return el("path", { d: `M${x} ${y - size - 1}L${x + size + 0.5} ${y + size - 0.5}H${x - size - 0.5}Z`, ...common });
  if (shape === "summary") return el("path", { d: `M${x} ${y - size - 2}L${x + size + 2} ${y}L${x} ${y + size + 2}L${x - size - 2} ${y}Z`, ...common });
  return el("circle", { cx: x, cy: y, r: size, ...common });
}

function span(low, high, y, stroke, width) {
  return el("line", { x1: low, x2: high, y1: y, y2: y, stroke, "stroke-width": width, "stroke-linecap": "round" });
}

function legend(entries) {
  return el("ul", { class: "legend" }, entries.map(([shape, fill, text]) => el("li", {},
    el("svg", { width: 14, height: 14, "aria-hidden": "true" },
      shape === "box" ? el("rect", { x: 1, y: 2, width: 12, height: 10, fill })
        : shape === "tick" ? el("line", { x1: 7, x2: 7, y1: 2, y2: 12, stroke: fill, "stroke-width": 2 })
          : marker(shape, 7, 7, fill)), text)));
}

function tipOf(section, row) {
  const lines = section.columns.filter((c) => row[c.key] !== null && row[c.key] !== undefined && row[c.key] !== "")
    .map((c, k) => (k === 0 ? String(row[c.key]) : `${c.label}: ${show(row[c.key], c.digits)}`));
  return lines.join("\n");
}

// Rows of equal height with a name at the left; `mark` draws what belongs to a row.
function rowChart(section, groups, values, mark, { height = 26, legends = [] } = {}) {
  const chart = section.chart;
  let all = groups.length <= MOST + 5;
  const box = el("div", { class: "chart", tabindex: "0", role: "group" });
  box.setAttribute("aria-label", `Chart: ${section.title}. ${view.selects ? "Arrow keys select a row. " : ""}The table has its numbers.`);
  const more = el("button", { type: "button", hidden: all, onclick: () => { all = !all; draw(); } });
  const shown = () => {
    if (all) return groups;
    const first = groups.filter((g, k) => k < MOST || g.rows[0].summary || g.name === selection.name);
    return first;
  };
  function draw() {
    const width = Math.max(260, box.clientWidth || 640);
    const list = shown();
    const most = width < 480 ? 0.37 * width : 0.3 * width;
    const gutter = Math.min(230, most, 12 + Math.max(...list.map((g) => widthOf(g.name))));
    const x = scale(values, gutter + 8, width - 14);
    const bottom = list.length * height + 4;
    const svg = el("svg", { width, height: bottom + 38, role: "img", "aria-label": section.title });
    const under = el("g");
    svg.append(under);
    axis(svg, x, 0, bottom, chart.axis, width);
    list.forEach((group, k) => {
      const y = k * height + height / 2 + 2;
      const row = el("g", { class: `row${group.name === selection.name ? " selected" : ""}`, "data-name": group.name });
      const rect = el("rect", { x: 0, y: y - height / 2, width, height, class: "hit" });
      row.append(rect, el("text", { x: gutter, y: y + 4, "text-anchor": "end" }, fit(group.name, gutter - 2)));
      mark({ row, under, group, x, y, height });
      hover(row, () => group.rows.map((r) => tipOf(section, r)).join("\n"));
      if (canSelect(group.name)) row.addEventListener("click", () => selection.set(group.name));
      svg.append(row);
    });
    box.replaceChildren(svg);
    more.textContent = all ? `Show the first ${MOST}` : `Show all ${groups.length}`;
  }
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const names = shown().map((g) => g.name).filter(canSelect);
    if (!step || !names.length) return;
    event.preventDefault();
    const at = names.indexOf(selection.name) + step;
    const name = names[(at + names.length) % names.length];
    if (name !== selection.name) selection.set(name);
  });
  selection.watch(draw);
  return { node: el("figure", {}, legends.length ? legend(legends) : null, box, more), draw, box };
}

const single = (section) => section.rows.map((row) => ({ name: String(row[section.chart.name]), rows: [row] }));

function forest(section) {
  const { value, low, high, bands, inner, mark } = section.chart;
  const kept = section.rows.flatMap((r) => [r[value], r[low], r[high], mark ? r[mark] : null]);
  const legends = [];
  if (bands) {
    legends.push(["box", "var(--positive-band)", "positive zone"], ["box", "var(--ambiguous-band)", "ambiguous zone"], ["box", "var(--negative-band)", "negative zone"]);
  }
  if (mark) legends.push(["tick", "var(--ink)", "the paper's score"]);
  const found = [...new Set(section.rows.map(zoneOf).filter(Boolean))];
  legends.push(...found.map((zone) => [zone, zoneColour(zone), section.rows[0].call ? zone : `called ${zone}`]));
  return rowChart(section, single(section), kept, ({ row, under, group, x, y, height }) => {
    const r = group.rows[0];
    if (bands && isNumber(r[bands[1]])) {
      const edges = [x.from, Math.max(x.from, x(r[bands[0]])), Math.min(x.to, x(r[bands[1]])), x.to];
      ZONES.forEach((zone, k) => {
        const width = edges[k + 1] - edges[k];
        if (width > 0) under.append(el("rect", { x: edges[k], y: y - height / 2, width, height, fill: `var(--${zone}-band)` }));
      });
    }
    const ink = r.summary ? "var(--ink)" : zoneColour(zoneOf(r));
    if (isNumber(r[low])) row.append(span(x(r[low]), x(r[high]), y, ink, 1.5));
    if (inner && isNumber(r[inner[0]])) row.append(span(x(r[inner[0]]), x(r[inner[1]]), y, ink, 4));
    if (mark && isNumber(r[mark])) row.append(el("line", { x1: x(r[mark]), x2: x(r[mark]), y1: y - 9, y2: y + 9, stroke: "var(--ink)", "stroke-width": 1.5 }));
    if (isNumber(r[value])) row.append(marker(r.summary ? "summary" : zoneOf(r), x(r[value]), y, ink));
  }, { legends });
}

function pairs(section) {
  const parts = section.chart.series;
  const values = section.rows.flatMap((r) => parts.flatMap((s) => [r[s.value], r[s.low], r[s.high]]));
  values.push(section.chart.most ?? 0);
  const legends = parts.map((s, k) => [k ? "ambiguous" : "circle", series(k), s.label]);
  return rowChart(section, single(section), values, ({ row, group, x, y }) => {
    const r = group.rows[0];
    parts.forEach((s, k) => {
      if (!isNumber(r[s.value])) return;
      const at = y + (k ? 5 : -5);
      if (isNumber(r[s.low])) row.append(span(x(r[s.low]), x(r[s.high]), at, series(k), 1.5));
      row.append(marker(k ? "ambiguous" : "circle", x(r[s.value]), at, series(k), 4));
    });
  }, { height: 30, legends });
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
  });
}

function dots(section) {
  const { name, value } = section.chart;
  const kinds = [...new Set(section.rows.map((r) => r[section.chart.series]))];
  const groups = new Map();
  for (const r of section.rows) groups.set(r[name], [...(groups.get(r[name]) ?? []), r]);
  const list = [...groups].map(([key, rows]) => ({ name: String(key), rows }));
  const last = kinds.length - 1;
  const legends = kinds.map((kind, k) => [k === last ? "summary" : "circle", k === last ? "var(--ink)" : series(k), kind]);
  const made = rowChart(section, list, section.rows.map((r) => r[value]), ({ row, group, x, y }) => {
    for (const r of group.rows) {
      const k = kinds.indexOf(r[section.chart.series]);
      if (isNumber(r[value])) row.append(marker(k === last ? "summary" : "circle", x(r[value]), y, k === last ? "var(--ink)" : series(k), 4));
    }
  }, { legends });
  return made;
}
