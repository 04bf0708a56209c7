// The tree of a matrix and its map, with datasets coloured by group.

// Heights from right to left. Where a few joins are far above all others the axis is logarithmic.
function heights(values, right, left) {
  const most = Math.max(...values) * 1.02 || 1;
  const middle = values.filter((v) => v > 0).sort((a, b) => a - b);
  const usual = middle[Math.floor(middle.length / 2)] ?? most;
  const first = middle[0] ?? most;
  const isLog = most > 30 * usual || most > 300 * first;
  const unit = isLog ? 10 ** Math.floor(Math.log10(Math.max(first, most / 1e6))) : 1;
  const bend = isLog ? (h) => Math.log10(1 + Math.max(0, h) / unit) : (h) => h;
  const x = (h) => right - (bend(h) / bend(most)) * (right - left);
  let marks = ticks(0, most, right - left, 56);
  if (isLog) {
    const powers = [0];
    for (let p = unit; p <= most; p *= 10) powers.push(p);
    marks = { values: powers.filter((p, k) => k === 0 || Math.abs(x(p) - right) > 40 || p === unit), digits: Math.max(0, -Math.floor(Math.log10(unit))) };
  }
  return Object.assign(x, { isLog, ticks: marks.values.map((v) => [v, tickText(v, marks.digits)]) });
}

const groupName = (i) => view.groups[view.clusters[i] - 1];

function tree(section) {
  const { order, cut } = section.chart;
  const n = order.length;
  const box = el("div", { class: n > 28 ? "chart scroll" : "chart" });
  if (n > 28) { box.tabIndex = 0; box.setAttribute("role", "region"); box.setAttribute("aria-label", "Family tree, scrolls"); }
  function draw() {
    const width = Math.max(240, (box.clientWidth || 640) - (n > 28 ? 18 : 0));
    const height = n > 28 ? 19 : n > 12 ? 22 : 30;
    const middle = height / 2;
    const label = Math.min(0.36 * width, 200, 16 + Math.max(...result.names.map((name) => widthOf(name))));
    const right = width - label - 10;
    const x = heights([cut, ...section.rows.map((r) => r.height)], right, 12);
    const nodes = [];
    order.forEach((i, k) => { nodes[i] = { y: k * height + middle + 2, h: 0, cluster: view.clusters[i] }; });
    const axisLines = lines(`${section.chart.axis}${x.isLog ? "; the axis is logarithmic above its first mark" : ""}. Dashed: groups are cut here, at ${show(cut, 3)}.`, width - 8);
    const svg = el("svg", { width, height: n * height + 24 + 15 * axisLines.length, role: "img", "aria-label": `Family tree of ${n} datasets` });
    svg.append(el("line", { x1: x(cut), x2: x(cut), y1: 0, y2: n * height + 4, class: "zero", "stroke-dasharray": "5 4" }));
    section.rows.forEach((merge, k) => {
      const [a, b] = [nodes[merge.left], nodes[merge.right]];
      const cluster = a.cluster === b.cluster ? a.cluster : null;
      nodes[n + k] = { y: (a.y + b.y) / 2, h: merge.height, cluster };
      const stroke = cluster ? series(cluster - 1) : "var(--soft)";
      const d = `M${x(a.h)} ${a.y}H${x(merge.height)}V${b.y}H${x(b.h)}`;
      svg.append(hover(el("path", { d, fill: "none", stroke, "stroke-width": 1.75 }), () => `joined at ${show(merge.height)}: ${merge.size} datasets`));
    });
    order.forEach((i, k) => {
      const name = result.names[i];
      const row = el("g", { class: `row${name === selection.name ? " selected" : ""}`, "data-name": name },
        el("rect", { x: right + 2, y: k * height + 2, width: label + 8, height, class: "hit" }),
        el("text", { x: right + 6, y: k * height + middle + 6, style: `fill: ${clusterColour(i)}` }, fit(name, label - 2)));
      row.addEventListener("click", () => openSheet(name, box));
      svg.append(hover(row, () => `${name}\ngroup: ${groupName(i)}`));
    });
    x.ticks.forEach(([v, text]) => svg.append(el("text", { x: x(v), y: n * height + 18, class: "tick", "text-anchor": "middle" }, text)));
    axisLines.forEach((text, k) => svg.append(el("text", { x: 4, y: n * height + 36 + 15 * k, class: "axis" }, text)));
    box.replaceChildren(svg);
  }
  selection.watch(draw);
  const columns = section.columns;
  return { node: el("figure", {}, el("div", { class: "bar" }, el("span", { class: "grow" }), download("tree.csv", columns, () => section.rows)), box), draw, box };
}

function map(section) {
  const box = chartBox(section);
  const rows = section.rows;
  function draw() {
    const width = Math.max(240, box.clientWidth || 640);
    const reach = (v) => [Math.min(...v), Math.max(...v)];
    const [[x0, x1], [y0, y1]] = [reach(rows.map((r) => r.x)), reach(rows.map((r) => r.y))];
    // One unit is as long upwards as sideways; the picture is as tall as that needs.
    const sideways = (width - 120) / (x1 - x0 || 1e-9);
    const height = Math.min(480, Math.max(180, (y1 - y0) * sideways + 60));
    const unit = Math.min(sideways, (height - 50) / (y1 - y0 || 1e-9));
    const x = (v) => width / 2 - 30 + (v - (x0 + x1) / 2) * unit;
    const y = (v) => height / 2 - (v - (y0 + y1) / 2) * unit;
    const svg = el("svg", { width, height, role: "img", "aria-label": `Map of ${rows.length} datasets` });
    const taken = [];
    const free = (a) => taken.every((b) => a[0] > b[2] || a[2] < b[0] || a[1] > b[3] || a[3] < b[1]);
    rows.forEach((r) => taken.push([x(r.x) - 6, y(r.y) - 6, x(r.x) + 6, y(r.y) + 6]));
    rows.forEach((r, i) => {
      const g = el("g", { class: `row${r.name === selection.name ? " selected" : ""}`, "data-name": r.name });
      g.append(el("circle", { cx: x(r.x), cy: y(r.y), r: 11, class: "hit" }), marker("circle", x(r.x), y(r.y), clusterColour(i), r.name === selection.name ? 8 : 6));
      const text = fit(r.name, Math.min(190, 0.4 * width));
      const back = -9 - widthOf(text); // to the left of the point, where there is no room at its right
      const place = [[9, 4], [9, -8], [9, 15], [back, 4], [back, -8], [back, 15], [(back + 9) / 2, -12], [(back + 9) / 2, 20]].map(([dx, dy]) => [x(r.x) + dx, y(r.y) + dy - 10, x(r.x) + dx + widthOf(text), y(r.y) + dy + 3])
        .find((spot) => spot[0] > 0 && spot[2] < width && free(spot));
      if (r.name === selection.name || (place && rows.length <= 60)) {
        const spot = place ?? [x(r.x) + 9, y(r.y) - 6];
        taken.push(spot);
        g.append(el("text", { x: spot[0], y: spot[1] + 10 }, text));
      }
      g.addEventListener("click", () => openSheet(r.name, box));
      svg.append(hover(g, () => `${r.name}\ngroup: ${groupName(i)}`));
    });
    box.replaceChildren(svg);
  }
  selection.watch(draw);
  return { node: el("figure", {}, el("div", { class: "bar" }, "Colours: groups", el("span", { class: "grow" }), download("map.csv", section.columns, () => rows)), box), draw, box };
}

