// Charts with two axes: errors against rows, and the slider of rows.

function frame(box, values, xs, section, { height = 260 } = {}) {
  const width = Math.max(240, box.clientWidth || 640);
  const finite = values.filter(isNumber);
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (low === high) { low -= 0.5; high += 0.5; }
  const room = (high - low) * 0.06;
  low -= room; high += room;
  const words = lines(`Across: ${section.chart.axis}. Upwards: ${section.chart.value_axis}.`, width - 8);
  const bottom = height - 26 - 15 * words.length;
  const rows = ticks(low, high, bottom - 10, 26);
  const left = 14 + Math.max(...rows.values.map((v) => widthOf(tickText(v, rows.digits), 11)));
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const x = (v) => left + ((v - x0) / (x1 - x0 || 1)) * (width - left - 16);
  const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - 10);
  const svg = el("svg", { width, height, role: "img", "aria-label": section.title });
  for (const v of rows.values) {
    svg.append(el("line", { x1: left, x2: width - 16, y1: y(v), y2: y(v), class: Math.abs(v) < 1e-12 ? "zero" : "grid" }));
    svg.append(el("text", { x: left - 6, y: y(v) + 4, class: "tick", "text-anchor": "end" }, tickText(v, rows.digits)));
  }
  const columns = ticks(x0, x1, width - left - 16);
  for (const v of columns.values) {
    svg.append(el("text", { x: Math.min(x(v), width - widthOf(tickText(v, columns.digits), 11) / 2 - 1), y: bottom + 17, class: "tick", "text-anchor": "middle" }, tickText(v, columns.digits)));
  }
  words.forEach((text, k) => svg.append(el("text", { x: 4, y: bottom + 35 + 15 * k, class: "axis" }, text)));
  return { svg, x, y, left, bottom, width, x0, x1 };
}

const path = (points) => points.map(([a, b], k) => `${k ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");

function chartBox(section) {
  return el("div", { class: "chart", role: "group", "aria-label": `Chart: ${section.title}. The table has its numbers.` });
}

function curve(section) {
  const fits = section.chart.fits;
  const box = chartBox(section);
  function draw() {
    const measured = section.rows.filter((r) => isNumber(r.n_train));
    const xs = [0, 1.6 * Math.max(...fits.map((f) => f.n))];
    const spread = measured.flatMap((r) => [r.error - (r.standard_error ?? 0), r.error + (r.standard_error ?? 0)]);
    const f = frame(box, [...spread, ...fits.map((fit_) => fit_.limit)], xs, section);
    fits.forEach((fit_, k) => {
      const first = Math.min(...measured.filter((r) => r.dataset === fit_.dataset).map((r) => r.n_train));
      const points = [];
      for (let s = 0; s <= 60; s += 1) {
        const n = first + ((xs[1] - first) * s) / 60;
        points.push([f.x(n), f.y(fit_.limit + fit_.slope / n)]);
      }
      f.svg.append(el("path", { d: path(points), fill: "none", stroke: series(k), "stroke-width": 2 }));
      f.svg.append(el("line", { x1: f.left, x2: f.x(xs[1]), y1: f.y(fit_.limit), y2: f.y(fit_.limit), stroke: series(k), "stroke-dasharray": "5 4" }));
    });
    for (const r of measured) {
      const k = fits.findIndex((fit_) => fit_.dataset === r.dataset);
      const g = el("g", { class: "row" });
      if (isNumber(r.standard_error)) {
        g.append(el("line", { x1: f.x(r.n_train), x2: f.x(r.n_train), y1: f.y(r.error - r.standard_error), y2: f.y(r.error + r.standard_error), stroke: series(k), "stroke-width": 1.5 }));
      }
      const open = r.kind !== "measured";
      g.append(marker("circle", f.x(r.n_train), f.y(r.error), open ? "var(--card)" : series(k), 5));
      if (open) g.lastChild.setAttribute("stroke", series(k));
      g.append(el("rect", { x: f.x(r.n_train) - 12, y: f.y(r.error) - 12, width: 24, height: 24, class: "hit" }));
      f.svg.append(hover(g, () => tipOf(section, r)));
    }
    box.replaceChildren(f.svg);
  }
  const entries = fits.map((fit_, k) => ["circle", series(k), fit(fit_.dataset, 240)]);
  return { node: el("figure", {}, legend(entries), box), draw, box };
}

// "What if I had n rows": every step and its sentence come from the view; the slider only looks them up.
function whatif(section) {
  const { steps, start, label, measured } = section.chart;
  const box = chartBox(section);
  let at = start;
  const output = el("output", { for: "rows-slider", id: "rows-output" });
  const slider = el("input", { type: "range", id: "rows-slider", min: 0, max: steps.length - 1, step: 1, value: start });
  function draw() {
    const xs = steps.map((s) => s.n);
    const f = frame(box, [...steps.map((s) => s.error), ...measured.map((m) => m.error)], xs, section, { height: 230 });
    f.svg.append(el("path", { d: path(steps.map((s) => [f.x(s.n), f.y(s.error)])), fill: "none", stroke: series(0), "stroke-width": 2.5 }));
    for (const m of measured) f.svg.append(marker("circle", f.x(m.n), f.y(m.error), series(0), 6));
    const now = steps[at];
    f.svg.append(el("line", { x1: f.x(now.n), x2: f.x(now.n), y1: f.y(now.error), y2: f.bottom, class: "zero", "stroke-dasharray": "4 4" }));
    f.svg.append(marker("summary", f.x(now.n), f.y(now.error), "var(--ink)", 6));
    box.replaceChildren(f.svg);
  }
  function move() {
    at = Number(slider.value);
    output.textContent = steps[at].text;
    slider.setAttribute("aria-valuetext", steps[at].text);
  }
  slider.addEventListener("input", () => { move(); draw(); });
  move();
  const control = el("div", { class: "slider" }, el("label", { for: "rows-slider" }, label), slider,
    el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, show(steps[0].n, 0)), el("span", {}, show(steps.at(-1).n, 0))), output);
  const key = legend([["circle", series(0), "measured"], ["summary", "var(--ink)", "where the slider is"]]);
  return { node: el("figure", {}, control, key, box), draw, box };
}
