// The list of runs: filters, order, the choice of runs to compare, and the progress of running ones.

const EVERY_MS = 2000;
const FILTERS = [["dataset", "all datasets"], ["label", "all methods"], ["llm", "all models"], ["state", "all states"]];
const COLUMNS = [
  ["label", "method"], ["score", "score"], ["state", "state"], ["when", "finished"],
];
const view = { words: "", by: "when", down: true, chosen: [] };
let listed = data;

function text(run, key) {
  if (key === "score") return run.score.mean === null ? -1 : run.score.mean;
  if (key === "when") return (run.state === "running" ? "running " : "") + run.when; // words come after dates
  return run[key];
}

function scoreShown({ score }) {
  if (score.mean === null) return element("td", { class: "number", "data-heading": "score" }, "-");
  const per = (number) => (score.percent ? 100 * number : number).toFixed(1);
  const known = score.low !== null;
  const ends = known ? element("small", {}, ` [${per(score.low)}, ${per(score.high)}]`) : "";
  return element("td", { class: "number", "data-heading": "score" },
    element("div", {}, `${score.heading} ${per(score.mean)}`, ends, known && score.percent ? whiskerShown(score) : ""));
}

// The interval as a line from 0 to 100 per cent, with a dot at the mean.
function whiskerShown({ low, mean, high }) {
  const drawn = (name, values) => {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(values)) shape.setAttribute(key, value);
    return shape;
  };
  const drawing = drawn("svg", { class: "interval", height: 10, "aria-hidden": "true" });
  drawing.append(drawn("line", { class: "grid", x1: "0%", x2: "100%", y1: 5, y2: 5 }),
    drawn("line", { class: "whisker", x1: `${100 * low}%`, x2: `${100 * high}%`, y1: 5, y2: 5 }),
    drawn("circle", { class: "mean", cx: `${100 * mean}%`, cy: 5, r: 3.5 }));
  return drawing;
}

function stateShown(run) {
  const count = (number) => number.toLocaleString("en");
  const whole = run.state === "finished";
  const answers = whole || !run.questions ? ` ${count(run.answered)} answers` : ` ${count(run.answered)} of ${count(run.questions)}`;
  const failed = run.errors ? element("small", { class: "error" }, ` ${count(run.errors)} failed`) : "";
  const title = run.state === "partial" ? data.partial : undefined;
  return element("td", { "data-heading": "state" }, element("div", {},
    element("span", { class: whole ? "badge" : "badge warn", title }, run.state), answers, failed));
}

function whenShown(run) {
  const ended = run.state === "finished" || run.state === "partial";
  const time = run.when.slice(0, 16).replace("T", " ");
  return element("td", { class: "number", "data-heading": ended ? "finished" : "started" }, ended || !time ? time : `started ${time}`);
}

function settingsOf(run) {
  return [run.dataset, `reader ${run.reader}`, run.llm === "none" ? "no model" : run.llm,
    run.ablation === "none" ? "" : run.ablation].filter(Boolean).join(", ");
}

function pathTo(...parts) {
  return parts.join("/").split("/").map(encodeURIComponent).join("/");
}

function rowShown(run) {
  const change = (event) => {
    view.chosen = view.chosen.filter((id) => id !== run.id);
    if (event.target.checked) view.chosen.push(run.id);
    show();
  };
  const box = element("input", { type: "checkbox", change, "aria-label": `choose ${run.name}`, checked: view.chosen.includes(run.id) && "", "data-focus": `choose ${run.id}` });
  const name = run.answered ? element("a", { class: "link", href: pathTo("runs", run.id, "report.html"), "data-focus": `open ${run.id}` }, run.name) : run.name;
  return element("tr", { class: `row ${run.state}` }, element("td", { class: "choose" }, box),
    element("td", {}, name, element("div", {}, element("small", {}, settingsOf(run)))), scoreShown(run), stateShown(run), whenShown(run));
}

function heading([key, name]) {
  const click = () => { view.down = view.by === key ? !view.down : false; view.by = key; show(); };
  const sorted = view.by === key ? { "aria-sort": view.down ? "descending" : "ascending" } : {};
  const number = ["score", "when"].includes(key) ? { class: "number" } : {};
  return element("th", { ...sorted, ...number }, element("button", { click, "data-focus": key }, name));
}

// The first run that was chosen is the one with which the others are compared.
function comparison() {
  const hint = (text) => element("span", { class: "soft" }, text);
  const runs = view.chosen.map((id) => listed.runs.find((run) => run.id === id)).filter(Boolean);
  const count = `${runs.length} ${runs.length === 1 ? "run" : "runs"} chosen`;
  if (runs.length < 2) return hint(count);
  if (new Set(runs.map(({ dataset }) => dataset)).size > 1) return hint(`${count}, on different datasets`);
  let ids = runs.map(({ id }) => id);
  if (!data.live) ids = data.pairs.find((pair) => pair.length === ids.length && pair.every((id) => ids.includes(id)));
  if (!ids) return hint(`${count}; this export has no comparison of them`);
  return element("a", { id: "compare", class: "link", href: `compare/${ids.map((id) => pathTo(id)).join("/with/")}/diff.html` },
    `Compare the ${runs.length} runs`);
}

function show() {
  const found = listed.runs.filter((run) => FILTERS.every(([key]) => !view[key] || run[key] === view[key])
    && (!view.words || Object.values(run).join("\n").toLowerCase().includes(view.words)));
  const order = (a, b) => (text(a, view.by) < text(b, view.by) ? -1 : text(a, view.by) > text(b, view.by) ? 1 : 0);
  found.sort((a, b) => (view.down ? -order(a, b) : order(a, b)));
  const focused = document.activeElement.dataset.focus;
  document.getElementById("table").replaceChildren(
    element("thead", {}, element("tr", {}, element("th", {}, element("span", { class: "soft" }, "choose")), COLUMNS.map(heading))),
    element("tbody", {}, found.map(rowShown)));
  if (focused) document.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  document.getElementById("found").replaceChildren(`${found.length.toLocaleString("en")} of ${listed.runs.length.toLocaleString("en")} runs. `, comparison());
  const running = listed.runs.filter((run) => run.state === "running").length;
  document.getElementById("state").textContent = running ? `${running} running` : "";
  document.getElementById("unreadable").replaceChildren(...listed.unreadable.map(({ id, reason }) =>
    element("p", { class: "wrong" }, `${id} cannot be read: ${reason}`)));
}

function choice([key, label]) {
  const change = (event) => { view[key] = event.target.value; show(); };
  const names = [...new Set(listed.runs.map((run) => run[key]))].sort();
  return element("select", { id: key, "aria-label": label, change }, element("option", { value: "" }, label),
    names.map((name) => element("option", { value: name }, name)));
}

async function follow() {
  try {
    const now = await (await fetch("runs.json")).json();
    if (JSON.stringify(now) !== JSON.stringify({ runs: listed.runs, unreadable: listed.unreadable })) {
      listed = now;
      show();
    }
  } catch {
    document.getElementById("state").textContent = "remem view has stopped; this is the last state";
  }
  setTimeout(follow, EVERY_MS);
}

document.getElementById("controls").append(
  element("input", { type: "search", id: "search", placeholder: "Search runs", "aria-label": "search",
    input: (event) => { view.words = event.target.value.toLowerCase(); show(); } }),
  ...FILTERS.map(choice), element("span", { id: "found", role: "status" }));
show();
if (data.live) follow();
