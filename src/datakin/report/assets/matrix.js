// The squares of a matrix as a heatmap. They are read from the result itself.

const result = JSON.parse(byId("datakin-result").textContent);
const names = new Map((view.kind === "matrix" ? result.names : []).map((name, i) => [name, i]));
const squares = {};
if (view.kind === "matrix") {
  for (const key of ["scores", "lows", "highs", "discrepancies", "errors", "gains"]) squares[key] = square(result[key]);
  squares.zones = result.rule !== "none" && result.zones && (result.zones.n || result.zones.length) ? zones(result.zones) : null;
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
      if (squares.gains) { row.gain = 100 * squares.gains[j * n + i]; row.gain_back = 100 * squares.gains[i * n + j]; }
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
  canvas.setAttribute("aria-label", `Heatmap of ${n} datasets. Arrow keys move from pair to pair, Enter opens the details of the row. The table of pairs has all numbers.`);
  const box = el("div", { class: "chart" }, canvas);
  const key = el("div", { class: "legend" });
  const at = { row: 0, column: 0, wide: 1, tall: 1, left: 0, top: 0, labelled: true, focus: false };

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
        if (i !== j && mode.value === "zones") tone = tones[squares.zones[i * n + j]] ?? rgb(colour("line"));
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
  // Few datasets have wide cells with their numbers inside, many have small square ones.
  function measure(width) {
    const longest = Math.max(...result.names.map((name) => widthOf(name)));
    const label = Math.min(0.3 * width, 190, 14 + longest);
    const room = (Math.min(width, 1000) - label) / n;
    at.wide = n <= 14 ? Math.min(240, (width - label) / n) : room;
    at.tall = n <= 14 ? Math.min(52, Math.max(34, at.wide)) : room;
    at.labelled = Math.min(at.wide, at.tall) >= 10;
    if (!at.labelled) at.wide = at.tall = Math.min(width, 1000, Math.max(360, 0.8 * innerHeight)) / n;
    const flat = at.wide >= Math.min(longest + 12, 110); // names above columns need not be turned
    at.left = at.labelled ? label : 0;
    at.top = at.labelled ? (flat ? 24 : label) : 0;
    return { label, flat };
  }
  function writeNames(context, label, flat) {
    for (let a = 0; at.labelled && a < n; a += 1) {
      const name = result.names[order[a]];
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(fit(name, label - 10), at.left - 6, at.top + (a + 0.5) * at.tall);
      context.save();
      context.translate(at.left + (a + 0.5) * at.wide, at.top - 8);
      if (!flat) context.rotate(-Math.PI / 2);
      context.textAlign = flat ? "center" : "left";
      context.fillText(fit(name, (flat ? at.wide : label) - 10), 0, 0);
      context.restore();
    }
  }
  function writeNumbers(context, values, top) {
    if (n > 14 || at.wide < 44) return;
    const [dark, light] = [colour("ink"), colour("card")];
    context.textAlign = "center";
    for (let a = 0; a < n; a += 1) {
      for (let b = 0; b < n; b += 1) {
        const k = order[a] * n + order[b];
        if (a === b || Number.isNaN(values[k])) continue;
        const t = Math.sqrt(Math.min(1, Math.max(0, values[k]) / top));
        context.fillStyle = mode.value === "zones" || t < 0.45 ? light : dark;
        const text = mode.value === "zones" ? squares.zones[k] : tickText(values[k], Math.abs(values[k]) < 1 ? 3 : 2);
        context.fillText(fit(text, at.wide - 6), at.left + (b + 0.5) * at.wide, at.top + (a + 0.5) * at.tall);
      }
    }
  }
  function draw() {
    const width = Math.max(240, box.clientWidth || 640);
    const { label, flat } = measure(width);
    const [across, down] = [at.wide * n, at.tall * n];
    const dense = devicePixelRatio || 1;
    canvas.width = (at.left + across) * dense;
    canvas.height = (at.top + down) * dense;
    canvas.style.width = `${at.left + across}px`;
    canvas.style.height = `${at.top + down}px`;
    const context = canvas.getContext("2d");
    context.scale(dense, dense);
    const values = squares[mode.value === "zones" ? "scores" : mode.value];
    const sorted = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
    const top = Math.max(sorted[Math.floor(0.98 * (sorted.length - 1))], 1e-9);
    context.imageSmoothingEnabled = false;
    context.drawImage(paint(values, top), at.left, at.top, across, down);
    context.font = `${Math.min(12, at.tall)}px system-ui, sans-serif`;
    context.fillStyle = colour("ink");
    writeNames(context, label, flat);
    writeNumbers(context, values, top);
    const picked = order.indexOf(names.get(selection.name));
    context.strokeStyle = colour("negative");
    context.lineWidth = 2;
    if (picked >= 0) {
      context.strokeRect(at.left, at.top + picked * at.tall, across, at.tall);
      context.strokeRect(at.left + picked * at.wide, at.top, at.wide, down);
    }
    if (at.focus) context.strokeRect(at.left + at.column * at.wide, at.top + at.row * at.tall, at.wide, at.tall);
    key.replaceChildren(...(mode.value === "zones"
      ? [legend(shown.map((zone) => ["box", `var(--${zone})`, zone]))]
      : [el("span", {}, "0 or less"), el("span", { class: "ramp", "aria-hidden": "true" }), el("span", {}, `${show(top, 2)} or more`)]));
  }
  const where = (event) => {
    const area = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - area.left - at.left) / at.wide);
    const row = Math.floor((event.clientY - area.top - at.top) / at.tall);
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
    if (found) openSheet(result.names[order[found.row]], canvas);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
    if (event.key === "Enter") openSheet(result.names[order[at.row]], canvas);
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

function neighbours(name) {
  const n = result.names.length;
  const i = names.get(name);
  const others = result.names.map((other, j) => ({ other, score: squares.scores[i * n + j], zone: squares.zones ? squares.zones[j * n + i] : null }))
    .filter((_, j) => j !== i).sort((a, b) => a.score - b.score);
  return { near: others.slice(0, 6), far: others.slice(-3).reverse(), error: squares.errors ? squares.errors[i * n + i] : null, group: groupName(i) };
}
