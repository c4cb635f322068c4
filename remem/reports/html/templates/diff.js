// The questions that flipped, and both traces side by side below the question that is opened.

const PAGE = 100;
const state = { words: "", better: "", category: "", what: "", page: 0, open: new Set() };
const [ONE, OTHER] = data.names;
const HEADINGS = {
  category: "category", gold: "gold", first: ONE, second: OTHER,
  diverged: "diverged at", evidence: "gold evidence that only one run found",
};
const SIDES = { first: "one", second: "other" };

data.flips.forEach((flip, place) => {
  flip.place = place;
  flip.category = flip.first.category;
  flip.words = [flip.first.id, flip.first.question, flip.first.answer, flip.second.answer, ...flip.first.gold]
    .join("\n").toLowerCase();
});

function named(column) {
  const side = SIDES[column];
  return [side ? element("span", { class: `key ${side}` }) : "", HEADINGS[column]];
}

function answerShown(flip, which) {
  const right = flip.better === which;
  const score = Number(flip[which].scores[data.score].toFixed(2));
  return [element("div", { class: "clip" }, flip[which].answer || "(empty)"),
    element("small", { class: right ? "right" : "wrong" },
      `${right ? "right" : "wrong"}, ${data.score} ${score}${flip[which].refused ? ", refused" : ""}`)];
}

const SHOWN = {
  category: (flip) => flip.category,
  gold: (flip) => element("div", { class: "clip" }, flip.first.gold.join("; ")),
  first: (flip) => answerShown(flip, "first"),
  second: (flip) => answerShown(flip, "second"),
  diverged: (flip) => (flip.step === null ? flip.what : `step ${flip.step}: ${flip.what}`),
  evidence: (flip) => [[ONE, flip.only_first], [OTHER, flip.only_second]].filter(([, ids]) => ids.length)
    .map(([name, ids]) => element("div", {}, `${name}: ${ids.join(", ")}`)),
};

function flipShown(flip) {
  const open = state.open.has(flip.place);
  const toggle = (event) => {
    event.stopPropagation();
    if (!state.open.delete(flip.place)) state.open.add(flip.place);
    show();
    document.querySelector(`[data-place="${flip.place}"]`).focus({ preventScroll: true });
  };
  const kind = open ? "open" : "";
  const asked = element("tr", { class: `question ${kind}`, click: toggle },
    element("td", { colspan: data.columns.length },
      element("button", { class: "asked", click: toggle, "aria-expanded": String(open), "data-place": flip.place },
        flip.first.question)));
  const row = element("tr", { class: `row ${kind}`, click: toggle },
    data.columns.map((column) => element("td", { class: column, "data-name": HEADINGS[column] }, SHOWN[column](flip))));
  if (!open) return element("tbody", {}, asked, row);
  const both = element("div", { class: "two" }, ["first", "second"].map((which) =>
    element("div", {}, element("h3", {}, named(which)), traceOf(flip[which]))));
  if (flip.step !== null) {
    for (const step of both.querySelectorAll(`ol.steps > li:nth-child(${flip.step})`)) step.classList.add("parted");
  }
  return element("tbody", {}, asked, row,
    element("tr", {}, element("td", { class: "trace", colspan: data.columns.length }, both)));
}

function show() {
  const found = data.flips.filter((flip) => (!state.words || flip.words.includes(state.words))
    && ["better", "category", "what"].every((name) => !state[name] || flip[name] === state[name]));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
  document.getElementById("table").replaceChildren(
    element("thead", {}, element("tr", {}, data.columns.map((column) => element("th", {}, named(column))))),
    ...part.map(flipShown));
  document.getElementById("found").textContent = `${found.length} of ${data.flips.length} questions`;
  const turn = (by) => () => { state.page += by; show(); };
  document.getElementById("pages").replaceChildren(...(pages === 1 ? [] : [
    element("button", { click: turn(-1), disabled: state.page === 0 && "" }, "Earlier"),
    element("span", { class: "soft" }, `page ${state.page + 1} of ${pages}`),
    element("button", { click: turn(1), disabled: state.page === pages - 1 && "" }, "Later")]));
}

function choice(id, label, names) {
  if (names.length < 2) return "";
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
    choice("better", "either run right", [["first", `only ${ONE} right`], ["second", `only ${OTHER} right`]]),
    choice("category", "all categories", namesOf("category")),
    choice("what", "any difference", namesOf("what")),
    element("span", { class: "soft", id: "found", role: "status" }));
  show();
}

begin();
