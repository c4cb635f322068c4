// The list of runs: filters, order, the choice of two runs, and the progress of running ones.

const EVERY_MS = 2000;
const FILTERS = [["dataset", "all datasets"], ["label", "all methods"], ["llm", "all models"], ["state", "all states"]];
const COLUMNS = [
  ["label", "method"], ["score", "score"], ["answered", "answers"], ["state", "state"], ["finished", "finished"],
];
const view = { words: "", by: "finished", down: true, chosen: [] };
let listed = data;

function text(run, key) {
  if (key === "score") return run.score.mean === null ? -1 : run.score.mean;
  return run[key];
}

function scoreShown({ score }) {
  if (score.mean === null) return element("td", { class: "number", "data-heading": "score" }, "-");
  const per = (number) => (score.percent ? 100 * number : number).toFixed(1);
  const ends = score.low === null ? "" : element("small", {}, ` [${per(score.low)}, ${per(score.high)}]`);
  return element("td", { class: "number", "data-heading": "score" }, `${score.heading} ${per(score.mean)}`, ends);
}

function answersShown(run) {
  const asked = run.questions ? ` of ${run.questions.toLocaleString("en")}` : "";
  const failed = run.errors ? element("small", { class: "error" }, ` ${run.errors} failed`) : "";
  return element("td", { class: "number", "data-heading": "answers" }, `${run.answered.toLocaleString("en")}${asked}`, failed);
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
    if (event.target.checked) view.chosen = [...view.chosen.slice(-1), run.id];
    show();
  };
  const box = element("input", { type: "checkbox", change, "aria-label": `choose ${run.name}`, checked: view.chosen.includes(run.id) && "" });
  const name = run.answered ? element("a", { class: "link", href: pathTo("runs", run.id, "report.html") }, run.name) : run.name;
  return element("tr", { class: `row ${run.state}` }, element("td", { class: "choose" }, box),
    element("td", {}, name, element("div", {}, element("small", {}, settingsOf(run)))), scoreShown(run), answersShown(run),
    element("td", { "data-heading": "state" }, element("span", { class: run.state === "finished" ? "badge" : "badge warn", title: run.state === "partial" ? data.partial : undefined }, run.state)),
    element("td", { class: "number", "data-heading": "finished" }, run.finished.slice(0, 16).replace("T", " ")));
}

function heading([key, name]) {
  const click = () => { view.down = view.by === key ? !view.down : false; view.by = key; show(); };
  const sorted = view.by === key ? { "aria-sort": view.down ? "descending" : "ascending" } : {};
  const number = ["score", "answered", "finished"].includes(key) ? { class: "number" } : {};
  return element("th", { ...sorted, ...number }, element("button", { click }, name));
}

function comparison() {
  const [first, second] = view.chosen.map((id) => listed.runs.find((run) => run.id === id));
  if (!first || !second) return element("span", { class: "soft" }, `${view.chosen.length} of 2 runs chosen`);
  if (first.dataset !== second.dataset) return element("span", { class: "soft" }, "the two runs are on different datasets");
  const pair = [[first.id, second.id], [second.id, first.id]]
    .find(([a, b]) => data.live || data.pairs.some(([c, d]) => a === c && b === d));
  if (!pair) return element("span", { class: "soft" }, "this export has no comparison of the two runs");
  return element("a", { id: "compare", class: "link", href: `compare/${pathTo(pair[0])}/with/${pathTo(pair[1])}/diff.html` }, "Compare the two runs");
}

function show() {
  const found = listed.runs.filter((run) => FILTERS.every(([key]) => !view[key] || run[key] === view[key])
    && (!view.words || Object.values(run).join("\n").toLowerCase().includes(view.words)));
  const order = (a, b) => (text(a, view.by) < text(b, view.by) ? -1 : text(a, view.by) > text(b, view.by) ? 1 : 0);
  found.sort((a, b) => (view.down ? -order(a, b) : order(a, b)));
  document.getElementById("table").replaceChildren(
    element("thead", {}, element("tr", {}, element("th", {}, element("span", { class: "soft" }, "choose")), COLUMNS.map(heading))),
    element("tbody", {}, found.map(rowShown)));
  document.getElementById("found").replaceChildren(`${found.length} of ${listed.runs.length} runs. `, comparison());
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
