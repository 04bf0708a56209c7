// Elements, numbers, colours, tooltips and the one thing that is selected.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "rect", "circle", "line", "path", "text", "title"]);

// Text only ever becomes a text node: whatever a name holds, it is shown and never run.
function el(tag, attributes = {}, ...children) {
  const node = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

const byId = (id) => document.getElementById(id);
const view = JSON.parse(byId("datakin-view").textContent);
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

// Large numbers need fewer decimals, and what rounding left over of 0 is 0.
function show(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (size >= 1e9) return value.toExponential(2).replace("-", "−");
  if (size >= 1e4) return value.toLocaleString("en", { maximumFractionDigits: 0 }).replace("-", "−");
  const spare = digits > 2 ? Math.max(0, Math.floor(Math.log10(size || 1))) : 0;
  const places = Math.max(0, digits - spare);
  const tiny = size > 1e-12 && size < 0.5 * 10 ** -digits && digits > 3;
  const text = tiny ? value.toExponential(1) : value.toFixed(size > 1e-12 ? places : digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

// A gain says on which side of 0 it is.
const signed = (value, digits) => (isNumber(value) && Number(value.toFixed(digits)) > 0 ? `+${show(value, digits)}` : show(value, digits));

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const series = (k) => `var(--c${(k % 8) + 1})`;
// Calls are what users read; zones where the paper's rule decided.
const CALLS = { positive: "helps", harmless: "harmless", ambiguous: "unclear", negative: "hurts" };
const ZONES = ["positive", "ambiguous", "negative"];
const word = (zone) => (view.calls ? CALLS[zone] || zone : zone);
// Zones of the paper, or calls of a choice: the same place, the same colours.
const zoneOf = (row) => row.zone ?? row.call;
const zoneColour = (zone) => (zone ? `var(--${zone})` : "var(--accent)");

const ruler = document.createElement("canvas").getContext("2d");
function widthOf(text, size = 12) {
  ruler.font = `${size}px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
  return ruler.measureText(text).width;
}
// Cut in the middle, where names of files and sites differ least.
function fit(name, width, size = 12) {
  const line = String(name).replace(/\s+/g, " ").trim() || "(no name)";
  if (widthOf(line, size) <= width) return line;
  const signs = [...line.slice(0, 400)];
  for (let most = Math.floor((signs.length * width) / widthOf(signs.join(""), size)) + 2; most > 3; most -= 1) {
    const back = Math.floor((most - 1) / 3);
    const cut = `${signs.slice(0, most - 1 - back).join("")}…${signs.slice(signs.length - back).join("")}`;
    if (widthOf(cut, size) <= width) return cut;
  }
  return `${signs[0]}…`;
}

const tip = byId("tip");
function place(event) {
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const below = event.clientY + 18 + box.height < innerHeight;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${below ? event.clientY + 18 : Math.max(4, event.clientY - box.height - 10)}px`;
}
function showTip(event, text) {
  if (event.pointerType === "touch") return; // a tap opens the sheet, which says more
  if (!byId("details").hidden && text.split("\n")[0] === selection.name) return;
  tip.textContent = text;
  tip.hidden = false;
  place(event);
}
function hideTip() { tip.hidden = true; }
function hover(node, text) {
  node.addEventListener("pointerenter", (event) => showTip(event, text()));
  node.addEventListener("pointermove", place);
  node.addEventListener("pointerleave", hideTip);
  return node;
}

// Tells whether the page is being printed, now and when that changes.
const paper = matchMedia("print");
const readers = [];
function onPaper(tell) { readers.push(tell); }
let isOnPaper = false;
function turnPaper(isPaper) {
  if (isPaper === isOnPaper) return;
  isOnPaper = isPaper;
  readers.slice().forEach((tell) => tell(isPaper));
}
paper.addEventListener("change", (event) => turnPaper(event.matches));
addEventListener("beforeprint", () => turnPaper(true));
addEventListener("afterprint", () => turnPaper(false));

const announce = (text) => { byId("announce").textContent = text; };

// One thing is selected at a time, in every chart and table alike.
const selection = {
  name: null,
  watchers: [],
  watch(update) { this.watchers.push(update); },
  set(name) {
    if (name === this.name) return;
    this.name = name;
    hideTip();
    this.watchers.forEach((update) => update(name));
  },
};
const canSelect = (name) => view.selects && (view.kind === "matrix" ? names.has(name) : Object.hasOwn(view.details, name));

function csv(columns, rows) {
  const quote = (value) => {
    if (value === null || value === undefined) return "";
    // A spreadsheet would compute a name that begins like a formula. Numbers stay numbers.
    const text = typeof value === "string" && /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const keys = [...new Set([...columns.map((c) => c.key), ...rows.flatMap(Object.keys)])];
  const lines = rows.map((row) => keys.map((key) => quote(row[key])).join(","));
  return [keys.map(quote).join(","), ...lines].join("\r\n") + "\r\n";
}

function download(file, columns, rows) {
  const link = el("a", { href: "#", download: file, class: "download" }, "Download CSV");
  link.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([csv(columns, rows())], { type: "text/csv" }));
    link.href = address;
    setTimeout(() => { URL.revokeObjectURL(address); link.href = "#"; }, 10000);
  });
  return link;
}

function bytes(text) {
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) found[i] = raw.charCodeAt(i);
  return found;
}

// The squares of a matrix, packed or plain, as one long row each.
function square(part) {
  if (!part) return null;
  if (part.type === "array") {
    return Float64Array.from(part.values.flat(), (v) => (typeof v === "number" ? v : NaN));
  }
  const n = part.n;
  const data = new Float64Array(bytes(part.data).buffer);
  if (!part.symmetric) return data;
  const found = new Float64Array(n * n);
  let at = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = i; j < n; j += 1, at += 1) found[i * n + j] = found[j * n + i] = data[at];
  }
  return found;
}

function zones(part) {
  if (Array.isArray(part)) return part.flat().map((zone) => word(zone.value));
  const words = part.choices.map((zone) => word(zone.value));
  return Array.from(bytes(part.data), (code) => words[code]);
}
