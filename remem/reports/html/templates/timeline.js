// The timeline of a memory: a column for each year, month or day, as high as its gists and facts.

const DRAWING = "http://www.w3.org/2000/svg";
const MOST_COLUMNS = 40;
const FEWEST_FOR_OUTLIERS = 8;
const [HEIGHT, FLOOR, TOP] = [132, 112, 16];
// A period is named by the beginning of a date: "20" is a century, "2021-04" a month.
const UNITS = [[10, "day"], [7, "month"], [4, "year"], [3, "decade"], [2, "century"]];

// As much of a date as a text gives: "2021", "2021-04" or "2021-04-17".
function dateIn(time) {
  const [found] = /\d{4}(?:-(?:0[1-9]|1[0-2])(?:-\d\d)?)?/.exec(time) || [""];
  return found.length < 10 || periodAt(numbered(found), 10) === found ? found : found.slice(0, 7);
}

function numbered(period) {
  if (period.length === 10) return Date.parse(period) / 864e5;
  const [year, month] = period.split("-").map(Number);
  return month === undefined ? year : 12 * year + month - 1;
}

function periodAt(number, length) {
  if (length === 10) return Number.isNaN(number) ? "" : new Date(number * 864e5).toISOString().slice(0, 10);
  if (length === 7) return `${periodAt(Math.floor(number / 12), 4)}-${String(number % 12 + 1).padStart(2, "0")}`;
  return String(number).padStart(length, "0");
}

function periodName(period) {
  return period + ({ 2: "00s", 3: "0s" }[period.length] || "");
}

// The finest unit with few enough columns that most dates are exact enough for; a date without a month is at the beginning of its year.
function unitOf(items) {
  const dates = items.map((item) => (item.date + "-01-01").slice(0, 10)).sort();
  for (const [length, unit] of UNITS) {
    const [first, last] = [dates[0], dates[dates.length - 1]].map((date) => numbered(date.slice(0, length)));
    if (last - first >= MOST_COLUMNS && length > 2) continue;
    if (2 * items.filter((item) => item.date.length < length).length > items.length) continue;
    return { length, unit, first, last };
  }
}

// Without the dates, a twentieth at most, that are farther from all others than those are from each other.
function withoutOutliers(items) {
  const days = items.map((item) => [numbered((item.date + "-01-01").slice(0, 10)), item]).sort((a, b) => a[0] - b[0]);
  const size = days.length - Math.ceil(days.length / 20);
  if (days.length < FEWEST_FOR_OUTLIERS) return items;
  const spans = days.slice(0, days.length - size + 1).map(([day], at) => [days[at + size - 1][0] - day, at]);
  const [span, at] = spans.reduce((least, one) => (one[0] < least[0] ? one : least));
  const [first, last] = [days[at][0] - span, days[at + size - 1][0] + span];
  return days.filter(([day]) => day >= first && day <= last).map(([, item]) => item);
}

// Outliers are left out only if that makes the unit finer.
function columnsOf(items, trimmed = withoutOutliers(items)) {
  const [whole, inner] = [unitOf(items), unitOf(trimmed)];
  const { length, unit, first, last } = inner.length > whole.length ? inner : whole;
  const columns = Array.from({ length: last - first + 1 }, (_, at) => (
    { period: periodAt(first + at, length), items: [], gists: 0, facts: 0 }));
  const outside = { before: 0, after: 0, rough: 0 };
  for (const item of items) {
    const size = Math.min(length, item.date.length);
    if (item.date.slice(0, size) < columns[0].period.slice(0, size)) outside.before += 1;
    else if (item.date.slice(0, size) > columns[columns.length - 1].period.slice(0, size)) outside.after += 1;
    else if (item.date.length < length) outside.rough += 1;
    else {
      const column = columns[numbered(item.date.slice(0, length)) - first];
      column.items.push(item);
      column[item.phrases.length ? "facts" : "gists"] += 1;
    }
  }
  return { unit, columns, ...outside };
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(DRAWING, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function columnDrawn(column, at, { count, most, chosen, choose }) {
  const said = `${periodName(column.period)}: ${column.gists} gists, ${column.facts} facts`;
  const [left, width] = [100 * at / count, 100 / count];
  const box = (kind, top, height) => drawn("rect", {
    class: kind, x: `${left + 0.06 * width}%`, width: `${0.88 * width}%`, y: top, height });
  const scale = (FLOOR - TOP) / most;
  const [gists, facts] = [column.gists * scale, column.facts * scale];
  const total = column.items.length;
  const parts = [box("hit", 0, FLOOR), box("gists", FLOOR - gists, gists), box("facts", FLOOR - gists - facts, facts)];
  if (total && (count <= 14 || total === most)) {
    parts.push(drawn("text", { x: `${left + width / 2}%`, y: FLOOR - gists - facts - 4, "text-anchor": "middle" }, String(total)));
  }
  if (!total) return drawn("g", {}, ...parts);
  const group = drawn("g", { class: chosen ? "column chosen" : "column", role: "button", tabindex: "0", "aria-label": said,
    "aria-pressed": String(chosen) }, drawn("title", {}, said), ...parts);
  group.addEventListener("click", choose);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  });
  return group;
}

// A text below every so many columns, so that no two touch on a phone; a day is named without its year.
function labelled(columns) {
  const count = columns.length;
  const step = Math.ceil(count / (columns[0].period.length > 4 ? 5 : 7));
  return columns.flatMap((column, at) => {
    if (at % step) return [];
    const edge = count > 8 && (at === 0 ? "start" : at === count - 1 && "end");
    const x = { start: 0, end: 100 }[edge] ?? 100 * (at + 0.5) / count;
    return drawn("text", { x: `${x}%`, y: FLOOR + 15, "text-anchor": edge || "middle" },
      periodName(column.period.length === 10 ? column.period.slice(5) : column.period));
  });
}

function timeline(items, chosen, choose) {
  const within = chosen.length === 10 ? chosen.slice(0, 7) : chosen;
  const dated = items.filter((item) => item.date.startsWith(within) && item.date);
  if (!dated.length || (!chosen && dated.length < 2)) return "";
  const { unit, columns, before, after, rough } = columnsOf(dated, chosen ? dated : undefined);
  const most = Math.max(1, ...columns.map((column) => column.items.length));
  const svg = drawn("svg", { class: "timeline", height: HEIGHT },
    drawn("line", { class: "grid", x1: "0", x2: "100%", y1: FLOOR, y2: FLOOR }),
    ...columns.map((column, at) => columnDrawn(column, at, {
      count: columns.length, most, chosen: column.period === chosen, choose: () => choose(column.period) })),
    ...labelled(columns));
  const sums = ["gists", "facts"].map((kind) => [kind, columns.reduce((sum, column) => sum + column[kind], 0)]);
  const kinds = sums.filter(([, sum]) => sum).map(([kind]) => kind);
  const key = (kind, at) => element("li", {}, element("span", { class: `key ${kind}` }), at ? `${kind}, on top of the gists` : kind);
  const undated = chosen ? 0 : items.filter((item) => !item.date).length;
  const ends = [columns[0], columns[columns.length - 1]].map((column) => periodName(column.period));
  const left = [before && `${before} dated before ${ends[0]}`, after && `${after} dated after ${ends[1]}`,
    rough && `${rough} with a less exact date`, undated && `${undated} without a date`].filter(Boolean);
  return element("figure", {},
    element("h3", {}, `${kinds.join(" and ")} by ${unit}, ${within ? periodName(within) : ends.join(" to ")}`),
    svg, element("ul", { class: "legend" }, kinds.map(key)),
    element("figcaption", {}, `A column counts what is dated in one ${unit}; the number on it is its total. Choose a column to see only that ${unit}.`,
      left.length ? ` In no column: ${left.join(", ")}.` : ""),
    chosen && element("button", { click: () => choose("") }, "Show all times"));
}
