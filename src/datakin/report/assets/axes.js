// What charts are made of: ticks, scales, axes, markers and legends.

// The finest round step whose labels have room.
function ticks(low, high, width, room = 46) {
  const least = ((high - low) * room) / Math.max(width, room) || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= least * (1 - 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((d) => Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6) ?? 8;
  return { step, values: found, digits };
}

// Short, so that a row of them fits: 70000 is 70k.
function tickText(value, digits) {
  const size = Math.abs(value);
  if (size < 1e-12) return "0";
  if (size < 1e4) return show(value, Math.min(digits, 3) === digits || size < 1 ? digits : 3);
  const [unit, sign] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return `${Number((value / unit).toPrecision(3))}${sign}`.replace("-", "−");
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

// Words on as many lines as the width needs.
function lines(text, width, size = 11) {
  const found = [""];
  for (const word of text.split(" ")) {
    const longer = found.at(-1) ? `${found.at(-1)} ${word}` : word;
    if (widthOf(longer, size) <= width || !found.at(-1)) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found.map((one) => fit(one, width, size));
}

function axis(svg, x, top, bottom, words) {
  const { values, digits } = ticks(x.low, x.high, x.to - x.from);
  for (const value of values) {
    const at = x(value);
    const zero = Math.abs(value) < 1e-12;
    svg.append(el("line", { x1: at, x2: at, y1: top, y2: bottom, class: zero ? "zero" : "grid" }));
    const text = tickText(value, digits);
    const half = widthOf(text, 11) / 2;
    svg.append(el("text", { x: Math.max(half + 1, at), y: bottom + 15, class: "tick", "text-anchor": "middle" }, text));
  }
  words.forEach((text, k) => svg.append(el("text", { x: 4, y: bottom + 33 + 15 * k, class: "axis" }, text)));
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

function sample(shape, fill) {
  if (shape === "box") return el("rect", { x: 1, y: 2, width: 12, height: 10, fill });
  return marker(shape, 7, 7, fill);
}

function legend(entries) {
  return el("ul", { class: "legend" }, entries.map(([shape, fill, text, title]) => el("li", { title },
    shape === "none" ? null : el("svg", { width: 14, height: 14, "aria-hidden": "true" }, sample(shape, fill)), text)));
}

function tipOf(section, row) {
  const known = (c) => ![null, undefined, ""].includes(row[c.key]);
  return section.columns.filter(known).map((c, k) => (k === 0 ? String(row[c.key]) : `${c.label}: ${words(c, row)}`)).join("\n");
}
