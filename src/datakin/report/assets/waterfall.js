// What a whole is made of: each bar begins where the one above it ends. Lines are intervals of the ends.
function waterfall(section) {
  const { unit } = section.chart;
  const rows = section.rows;
  const ink = (r) => (r.summary ? "var(--own)" : r.flagged ? "var(--hurts)" : "var(--c1)");
  const tag = (r) => {
    const digits = unit && Math.abs(r.value) >= 9.95 ? 0 : unit ? 1 : 4; // as sentences have it
    return [`${signed(r.value, digits)}${unit}${r.flagged ? " · a reason" : ""}`, ink(r)];
  };
  const legends = [["box", "var(--own)", "the whole"]];
  if (rows.some((r) => r.flagged)) legends.push(["box", "var(--hurts)", "a reason"]);
  if (rows.some((r) => !r.flagged && !r.summary)) legends.push(["box", "var(--c1)", "not named"]);
  const values = rows.flatMap((r) => [r.from, r.to, r.end_low, r.end_high]);
  return rowChart(section, single(section), values, ({ row, under, group, x, y, height }) => {
    const r = group.rows[0];
    if (!isNumber(r.to)) return;
    const [a, b] = [x(r.from), x(r.to)];
    const isLast = r === rows.at(-1);
    row.append(el("rect", { x: Math.min(a, b), y: y - 8, width: Math.max(1.5, Math.abs(b - a)), height: 16, rx: 2, fill: ink(r), "fill-opacity": 0.6 }));
    if (isNumber(r.end_low)) row.append(span(x(r.end_low), x(r.end_high), y, "var(--ink)", 1.75));
    if (!isLast) under.append(el("line", { x1: b, x2: b, y1: y + 8, y2: y + height - 8, class: "joint" }));
  }, { height: 28, legends, tag });
}
