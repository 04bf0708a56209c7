// The squares of a matrix: heatmap, tree and map. They are read from the result itself.

const result = JSON.parse(byId("datakin-result").textContent);
const names = new Map((view.kind === "matrix" ? result.names : []).map((name, i) => [name, i]));
const squares = {};
if (view.kind === "matrix") {
  for (const key of ["scores", "lows", "highs", "discrepancies", "errors", "gains"]) squares[key] = square(result[key]);
  squares.zones = result.zones && (result.zones.n || result.zones.length) ? zones(result.zones) : null;
}
const clusterColour = (i) => series(view.clusters[i] - 1);

function pairRows() {
  const n = result.names.length;
  const rows = [];
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const row = { target: result.names[i], source: result.names[j], score: squares.scores[i * n + j] };
      if (squares.lows) { row.low = squares.lows[i * n + j]; row.high = squares.highs[i * n + j]; }
      if (squares.zones) { row.zone = squares.zones[j * n + i]; row.back = squares.zones[i * n + j]; }
      if (squares.gains) { row.gain = squares.gains[j * n + i]; row.gain_back = squares.gains[i * n + j]; }
      if (squares.discrepancies) {
        row.source_to_target = squares.discrepancies[j * n + i];
        row.target_to_source = squares.discrepancies[i * n + j];
      }
      rows.push(row);
    }
  }
  return rows;
}

function rgb(text) {
  const hex = text.replace("#", "");
  return [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16));
}
const blend = (a, b, t) => a.map((v, k) => v + (b[k] - v) * t);

function pairTip(i, j) {
  const n = result.names.length;
  const lines = [i === j ? result.names[i] : `${result.names[i]} ~ ${result.names[j]}`];
  if (i === j) return `${lines[0]}\n${squares.errors ? `own error: ${show(squares.errors[i * n + i])}` : "itself"}`;
  lines.push(`score: ${show(squares.scores[i * n + j])}${squares.lows ? ` [${show(squares.lows[i * n + j])}, ${show(squares.highs[i * n + j])}]` : ""}`);
  if (squares.zones) lines.push(`${result.names[i]} for ${result.names[j]}: ${squares.zones[i * n + j]}`);
  if (squares.errors) lines.push(`error of ${result.names[i]}'s predictors on ${result.names[j]}: ${show(squares.errors[i * n + j])}`);
  return lines.join("\n");
}

function heat(section) {
  const { order, word } = section.chart;
  const n = order.length;
  const modes = [["scores", word]];
  const shown = view.calls ? Object.values(CALLS) : ZONES;
  if (squares.zones) modes.push(["zones", `${view.calls ? "call" : "zone"} (row as source for column)`]);
  if (squares.discrepancies) modes.push(["discrepancies", "loss of row's predictors on column"]);
  const mode = el("select", { id: "heat-mode", onchange: () => draw() }, modes.map(([key, text]) => el("option", { value: key }, text)));
  const canvas = el("canvas", { tabindex: "0", role: "img" });
  canvas.setAttribute("aria-label", `Heatmap of ${n} datasets. Arrow keys move from pair to pair, Enter selects the row. The table of pairs has all numbers.`);
  const box = el("div", { class: "chart" }, canvas);
  const key = el("div", { class: "legend" });
  const at = { row: 0, column: 0, size: 1, left: 0, top: 0, focus: false };

  function paint(values, top) {
    const [near, middle, far] = ["near", "middle", "far"].map((c) => rgb(colour(c)));
    const tones = Object.fromEntries(shown.map((name) => [name, rgb(colour(name))]));
    const small = el("canvas", { width: n, height: n });
    const context = small.getContext("2d");
    const image = context.createImageData(n, n);
    for (let a = 0; a < n; a += 1) {
      for (let b = 0; b < n; b += 1) {
        const [i, j] = [order[a], order[b]];
        let tone = near;
        if (i !== j && mode.value === "zones") tone = tones[squares.zones[i * n + j]];
        else if (i !== j) {
          const t = Math.sqrt(Math.min(1, Math.max(0, values[i * n + j]) / top));
          tone = t < 0.5 ? blend(near, middle, 2 * t) : blend(middle, far, 2 * t - 1);
          if (Number.isNaN(t)) tone = far;
        }
        image.data.set([...tone, 255], 4 * (a * n + b));
      }
    }
    context.putImageData(image, 0, 0);
    return small;
  }
  function draw() {
    const width = Math.max(240, box.clientWidth || 640);
    const longest = Math.max(...result.names.map((name) => widthOf(name)));
    const label = Math.min(0.3 * width, 150, 14 + longest);
    at.size = Math.min(46, (Math.min(width, 760) - label) / n);
    const labelled = at.size >= 10;
    at.left = at.top = labelled ? label : 0;
    if (!labelled) at.size = Math.min(width, 760) / n;
    const side = at.size * n;
    const dense = devicePixelRatio || 1;
    canvas.width = (at.left + side) * dense;
    canvas.height = (at.top + side) * dense;
    canvas.style.width = `${at.left + side}px`;
    canvas.style.height = `${at.top + side}px`;
    const context = canvas.getContext("2d");
    context.scale(dense, dense);
    const values = squares[mode.value === "zones" ? "scores" : mode.value];
    const sorted = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
    const top = Math.max(sorted[Math.floor(0.98 * (sorted.length - 1))], 1e-9);
    context.imageSmoothingEnabled = false;
    context.drawImage(paint(values, top), at.left, at.top, side, side);
    context.font = `${Math.min(12, at.size)}px system-ui, sans-serif`;
    context.fillStyle = colour("ink");
    for (let a = 0; labelled && a < n; a += 1) {
      const text = fit(result.names[order[a]], label - 8);
      const middle = (a + 0.5) * at.size;
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(text, at.left - 6, at.top + middle);
      context.save();
      context.translate(at.left + middle, at.top - 6);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(text, 0, 0);
      context.restore();
    }
    const picked = order.indexOf(names.get(selection.name));
    context.strokeStyle = colour("negative");
    context.lineWidth = 2;
    if (picked >= 0) {
      context.strokeRect(at.left, at.top + picked * at.size, side, at.size);
      context.strokeRect(at.left + picked * at.size, at.top, at.size, side);
    }
    if (at.focus) context.strokeRect(at.left + at.column * at.size, at.top + at.row * at.size, at.size, at.size);
    key.replaceChildren(...(mode.value === "zones"
      ? [legend(shown.map((zone) => ["box", `var(--${zone})`, zone]))]
      : [el("span", {}, "0 or less"), el("span", { class: "ramp", "aria-hidden": "true" }), el("span", {}, `${show(top, 2)} or more`)]));
  }
  const where = (event) => {
    const area = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - area.left - at.left) / at.size);
    const row = Math.floor((event.clientY - area.top - at.top) / at.size);
    return row >= 0 && column >= 0 && row < n && column < n ? { row, column } : null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const found = where(event);
    if (found) showTip(event, pairTip(order[found.row], order[found.column]));
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    const found = where(event);
    if (found) selection.set(result.names[order[found.row]]);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
    if (event.key === "Enter") selection.set(result.names[order[at.row]]);
    if (!step) return;
    event.preventDefault();
    at.row = (at.row + step[0] + n) % n;
    at.column = (at.column + step[1] + n) % n;
    announce(pairTip(order[at.row], order[at.column]));
    draw();
  });
  canvas.addEventListener("focus", () => { at.focus = canvas.matches(":focus-visible"); draw(); });
  canvas.addEventListener("blur", () => { at.focus = false; draw(); });
  selection.watch(draw);
  const bar = el("div", { class: "bar" }, el("label", { for: "heat-mode" }, "Colour by"), mode, key,
    el("span", { class: "grow" }), download("pairs.csv", [], pairRows));
  return { node: el("figure", {}, bar, box), draw, box };
}

function tree(section) {
  const { order, cut } = section.chart;
  const n = order.length;
  const box = el("div", { class: n > 28 ? "chart scroll" : "chart" });
  if (n > 28) { box.tabIndex = 0; box.setAttribute("role", "region"); box.setAttribute("aria-label", "Family tree, scrolls"); }
  function draw() {
    const width = Math.max(240, (box.clientWidth || 640) - (n > 28 ? 18 : 0));
    const height = 19;
    const label = Math.min(0.36 * width, 200, 16 + Math.max(...result.names.map((name) => widthOf(name))));
    const right = width - label - 10;
    const most = Math.max(cut, ...section.rows.map((r) => r.height)) * 1.02 || 1;
    const x = (h) => right - (h / most) * (right - 12);
    const nodes = [];
    order.forEach((i, k) => { nodes[i] = { y: k * height + 12, h: 0, cluster: view.clusters[i] }; });
    const svg = el("svg", { width, height: n * height + 34, role: "img", "aria-label": `Family tree of ${n} datasets` });
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
        el("text", { x: right + 6, y: k * height + 16, style: `fill: ${clusterColour(i)}` }, fit(name, label - 2)));
      row.addEventListener("click", () => selection.set(name));
      svg.append(hover(row, () => `${name}\ncluster ${view.clusters[i]}`));
    });
    const { values, digits } = ticks(0, most, right - 12);
    values.forEach((v) => svg.append(el("text", { x: x(v), y: n * height + 18, class: "tick", "text-anchor": "middle" }, show(v, digits))));
    svg.append(el("text", { x: Math.max(4, x(cut) - 4), y: n * height + 31, class: "axis" }, `cut at ${show(cut, 3)}`));
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
      const text = fit(r.name, 130);
      const place = [[9, 4], [9, -8], [9, 15]].map(([dx, dy]) => [x(r.x) + dx, y(r.y) + dy - 10, x(r.x) + dx + widthOf(text), y(r.y) + dy + 3])
        .find((spot) => spot[2] < width && free(spot));
      if (r.name === selection.name || (place && rows.length <= 60)) {
        const spot = place ?? [x(r.x) + 9, y(r.y) - 6];
        taken.push(spot);
        g.append(el("text", { x: spot[0], y: spot[1] + 10 }, text));
      }
      g.addEventListener("click", () => selection.set(r.name));
      svg.append(hover(g, () => `${r.name}\ncluster ${r.cluster}`));
    });
    box.replaceChildren(svg);
  }
  selection.watch(draw);
  return { node: el("figure", {}, el("div", { class: "bar" }, "Colours: clusters", el("span", { class: "grow" }), download("map.csv", section.columns, () => rows)), box), draw, box };
}

function neighbours(name) {
  const n = result.names.length;
  const i = names.get(name);
  const others = result.names.map((other, j) => ({ other, score: squares.scores[i * n + j], zone: squares.zones ? squares.zones[j * n + i] : null }))
    .filter((_, j) => j !== i).sort((a, b) => a.score - b.score);
  return { near: others.slice(0, 6), far: others.slice(-3).reverse(), error: squares.errors ? squares.errors[i * n + i] : null, cluster: view.clusters[i] };
}
