// The questions that flipped, and both traces side by side below the row that is opened.

const PAGE = 100;
const state = { words: "", better: "", category: "", what: "", page: 0, open: new Set() };
const HEADINGS = ["question", "category", "gold", "first", "second", "diverged at", "evidence found by only one run"];

data.flips.forEach((flip, place) => {
  flip.place = place;
  flip.category = flip.first.category;
  flip.words = [flip.first.id, flip.first.question, flip.first.answer, flip.second.answer, ...flip.first.gold]
    .join("\n").toLowerCase();
});

function answerShown(flip, which) {
  const right = flip.better === which;
  return element("td", {}, element("div", { class: "clip" }, flip[which].answer || "(empty)"),
    element("small", { class: right ? "right" : "wrong" },
      `${data.score} ${flip[which].scores[data.score]}${flip[which].refused ? ", refused" : ""}`));
}

function onlyShown(flip) {
  return [["first", flip.only_first], ["second", flip.only_second]].filter(([, ids]) => ids.length)
    .map(([name, ids]) => element("div", {}, `${name}: ${ids.join(", ")}`));
}

function flipShown(flip) {
  const open = state.open.has(flip.place);
  const toggle = (event) => {
    event.stopPropagation();
    if (!state.open.delete(flip.place)) state.open.add(flip.place);
    show();
  };
  const parted = `${flip.step === null ? "after the steps" : `step ${flip.step}`}: ${flip.what}`;
  const row = element("tr", { class: open ? "row open" : "row", click: toggle },
    element("td", {}, element("button", { class: "asked", click: toggle, "aria-expanded": String(open) },
      element("div", { class: "clip" }, flip.first.question))),
    element("td", {}, flip.category), element("td", {}, element("div", { class: "clip" }, flip.first.gold.join("; "))),
    answerShown(flip, "first"), answerShown(flip, "second"), element("td", {}, parted),
    element("td", {}, onlyShown(flip)));
  if (!open) return [row];
  const both = element("div", { class: "two" }, ["first", "second"].map((which) =>
    element("div", {}, element("h3", {}, which), traceOf(flip[which]))));
  if (flip.step !== null) {
    for (const step of both.querySelectorAll(`ol.steps > li:nth-child(${flip.step})`)) step.classList.add("parted");
  }
  return [row, element("tr", {}, element("td", { class: "trace", colspan: HEADINGS.length }, both))];
}

function show() {
  const found = data.flips.filter((flip) => (!state.words || flip.words.includes(state.words))
    && ["better", "category", "what"].every((name) => !state[name] || flip[name] === state[name]));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
  document.getElementById("table").replaceChildren(
    element("thead", {}, element("tr", {}, HEADINGS.map((name) => element("th", {}, name)))),
    element("tbody", {}, part.flatMap(flipShown)));
  document.getElementById("found").textContent = `${found.length} of ${data.flips.length} flips`;
  const turn = (by) => () => { state.page += by; show(); };
  document.getElementById("pages").replaceChildren(
    element("button", { click: turn(-1), disabled: state.page === 0 && "" }, "Earlier"),
    element("span", { class: "soft" }, `page ${state.page + 1} of ${pages}`),
    element("button", { click: turn(1), disabled: state.page === pages - 1 && "" }, "Later"));
}

function choice(id, label, names) {
  const change = (event) => { state[id] = event.target.value; state.page = 0; show(); };
  return element("select", { id, "aria-label": label, change }, element("option", { value: "" }, label),
    names.map(([value, name]) => element("option", { value }, name)));
}

function namesOf(key) {
  return [...new Set(data.flips.map((flip) => flip[key]))].sort().map((name) => [name, name]);
}

function begin() {
  const search = (event) => { state.words = event.target.value.toLowerCase(); state.page = 0; show(); };
  document.getElementById("controls").append(
    element("input", { type: "search", id: "search", placeholder: "Search questions and answers", "aria-label": "search", input: search }),
    choice("better", "either run right", [["first", "only first right"], ["second", "only second right"]]),
    choice("category", "all categories", namesOf("category")),
    choice("what", "any difference", namesOf("what")),
    element("span", { class: "soft", id: "found", role: "status" }));
  show();
}

begin();
