// The table of questions: search, filters, sort, pages, and a trace below the row that is opened.
// The address keeps what is chosen: #question=...&score=...&category=...&outcome=...&words=...

const PAGE = 100;
// What a filter wants of refusals; the scores of refusals on the page of a table lead here.
const REFUSALS = {
  "refused rightly": ({ refused, unanswerable }) => refused && unanswerable,
  "every refusal": ({ refused }) => refused,
  "unanswerable": ({ unanswerable }) => unanswerable,
  "refused or unanswerable": ({ refused, unanswerable }) => refused || unanswerable,
};
const OUTCOMES = [...new Set([...data.outcomes, ...data.causes, ...Object.keys(REFUSALS)])];
const CATEGORIES = new Map(data.categories);
const SCORES = new Map(data.scores.filter(({ share }) => share).map((score) => [score.name, score]));
const MAIN = SCORES.keys().next().value || "";
const FIRST_NUMBER = 4;
const unfiltered = { score: MAIN, category: "", outcome: "", words: "" };
const state = { ...unfiltered, sort: -1, down: false, page: 0, open: new Set(), question: "" };

const total = (counts) => (counts ? counts[1] + counts[2] : 0);
const rows = data.questions.map((question, place) => {
  for (const { heading, values, shown } of data.scores) {
    if (shown && values[place] !== null) question.scores[heading] = values[place];
  }
  const seconds = question.seconds || [0, 0];
  return {
    question, place,
    words: [question.id, question.question, question.answer, question.error, ...question.gold]
      .filter(Boolean).join("\n").toLowerCase(),
    cells: [
      question.question, CATEGORIES.get(question.category), question.answer || question.error || "",
      question.gold.join("; "), -1, (question.steps || []).length,
      total(question.recall_tokens) + total(question.read_tokens) || question.context_tokens || 0,
      seconds[0] + seconds[1],
    ],
  };
});
const placeOf = new Map(rows.map(({ question, place }) => [question.id, place]));

function worded(outcome) {
  return outcome === "partly" ? "partly right" : outcome;
}

function headings() {
  const { heading } = SCORES.get(state.score) || { heading: "score" };
  return ["question", "category", "answer", "gold", heading, "steps", data.tokens, "seconds"];
}

// As remem/results/outcomes.py has it.
function outcomeOf(question, { values, of_answer }, place) {
  if (question.error) return "error";
  const score = values[place];
  if (score === null) return "not scored";
  if (score >= data.half) return "right";
  if (of_answer && question.refused && !(question.unanswerable && score)) return "refused";
  return score > 0 ? "partly" : "wrong";
}

function scoreRows() {
  const score = SCORES.get(state.score) || { values: [] };
  for (const row of rows) {
    row.cells[FIRST_NUMBER] = score.values[row.place] ?? -1;
    row.outcome = outcomeOf(row.question, score, row.place);
    const failed = ["partly", "wrong", "refused"].includes(row.outcome);
    row.cause = failed && score.of_answer ? data.causes[row.question.cause] : "";
  }
}

function chosen() {
  const words = state.words.toLowerCase();
  const wanted = rows.filter(({ question, words: text, outcome, cause }) =>
    text.includes(words)
    && (!state.category || question.category === state.category)
    && (!state.outcome || state.outcome === outcome || state.outcome === cause
      || REFUSALS[state.outcome]?.(question)));
  if (state.sort < 0) return wanted;
  const sign = state.down ? -1 : 1;
  return wanted.sort((a, b) => {
    const [one, other] = [a.cells[state.sort], b.cells[state.sort]];
    return one < other ? -sign : one > other ? sign : a.place - b.place;
  });
}

function addressOf(changes) {
  const kept = Object.entries({ ...unfiltered, question: "", ...changes })
    .filter(([name, value]) => value && !(name === "score" && value === MAIN));
  return `#${new URLSearchParams(kept)}`;
}

function noteAddress(way) {
  const { score, category, outcome, words, question } = state;
  const address = addressOf({ score, category, outcome, words, question });
  if (address !== (location.hash || "#")) {
    history[way](null, "", address === "#" ? location.pathname + location.search : address);
  }
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const known = {
    score: (name) => SCORES.has(name), category: (name) => CATEGORIES.has(name),
    outcome: (name) => OUTCOMES.includes(name), words: () => true, question: (id) => placeOf.has(id),
  };
  const [choices, unknown] = [{}, []];
  for (const name of Object.keys(known)) {
    const value = given.get(name);
    if (value && known[name](value)) choices[name] = value;
    else if (value) unknown.push(`${name} ${value}`);
  }
  Object.assign(state, unfiltered, { question: "", page: 0 }, choices);
  for (const name of ["score", "category", "outcome", "words"]) document.getElementById(name).value = state[name];
  document.getElementById("address").textContent = unknown.length
    ? `The address names what this run does not know, and it is ignored: ${unknown.join(", ")}.` : "";
  state.open.clear();
  if (state.question) openLinked();
  scoreRows();
  show();
  if (state.question) buttonOf(state.question).scrollIntoView({ block: "center" });
  else if (location.hash.length > 1) document.getElementById("questions").scrollIntoView();
}

// A question that the filters leave out is shown without them.
function openLinked() {
  const place = placeOf.get(state.question);
  state.open.add(place);
  scoreRows();
  let at = chosen().findIndex((row) => row.place === place);
  if (at < 0) {
    Object.assign(state, { category: "", outcome: "", words: "" });
    at = chosen().findIndex((row) => row.place === place);
  }
  state.page = Math.floor(at / PAGE);
}

function buttonOf(id) {
  return document.querySelector(`[data-place="${placeOf.get(id)}"]`);
}

function traceShown({ question, outcome, cause }) {
  const link = element("a", { class: "permalink", href: addressOf({ question: question.id, score: state.score }) }, "link to this question");
  const why = cause ? `${worded(outcome)}: ${cause}` : worded(outcome);
  const graph = typeof graphOfQuestion === "function" ? graphOfQuestion(question) : "";
  return [link, traceOf(question, [["category", CATEGORIES.get(question.category)], ["outcome", why]]), graph];
}

function rowShown(row) {
  const { question, cells, outcome } = row;
  const open = state.open.has(row.place);
  const toggle = (event) => {
    event.stopPropagation();
    const closes = state.open.delete(row.place);
    if (!closes) state.open.add(row.place);
    state.question = closes ? "" : question.id;
    noteAddress("pushState");
    show();
    buttonOf(question.id).focus({ preventScroll: true });
  };
  const names = headings();
  const texts = cells.slice(1, FIRST_NUMBER).map((text, at) =>
    element("td", { "data-heading": names[at + 1] }, element("div", { class: `clip ${at === 1 && question.error ? "error" : ""}` }, text),
      at === 1 && question.refused ? element("small", { class: "refused" }, "refused") : ""));
  const [score, steps, tokens, seconds] = cells.slice(FIRST_NUMBER);
  const numbers = [score < 0 ? "-" : score.toFixed(2), steps, tokens.toLocaleString("en"), seconds < 0.01 ? seconds.toPrecision(1) : seconds.toFixed(2)];
  const shown = element("tr", { class: open ? "row open" : "row", click: toggle },
    element("td", {}, element("button",
      { class: "asked", click: toggle, "aria-expanded": String(open), "data-place": row.place },
      element("div", { class: "clip" }, cells[0]))),
    texts, numbers.map((text, at) =>
      element("td", { class: at === 0 ? `number ${outcome}` : "number", "data-heading": names[FIRST_NUMBER + at] }, String(text))));
  if (!open) return [shown];
  return [shown, element("tr", {}, element("td", { class: "trace", colspan: names.length }, traceShown(row)))];
}

function headShown() {
  return element("thead", {}, element("tr", {}, headings().map((name, at) => {
    const sorted = at === state.sort ? (state.down ? "descending" : "ascending") : "none";
    const sort = () => {
      state.down = at === state.sort && !state.down;
      state.sort = at;
      state.page = 0;
      show();
    };
    return element("th", { class: at < FIRST_NUMBER ? undefined : "number", "aria-sort": sorted },
      element("button", { click: sort }, name));
  })));
}

function show() {
  const found = chosen();
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const part = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
  document.getElementById("table").replaceChildren(
    headShown(), element("tbody", {}, part.flatMap(rowShown)));
  document.getElementById("found").textContent =
    `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} questions`;
  const turn = (by) => () => { state.page += by; show(); };
  document.getElementById("pages").replaceChildren(
    element("button", { click: turn(-1), disabled: state.page === 0 && "" }, "Earlier"),
    element("span", { class: "soft" }, `page ${state.page + 1} of ${pages}`),
    element("button", { click: turn(1), disabled: state.page === pages - 1 && "" }, "Later"));
}

function choose(name, way) {
  return (event) => {
    state[name] = event.target.value;
    state.page = 0;
    noteAddress(way);
    scoreRows();
    show();
  };
}

function choice(id, label, options) {
  return element("select", { id, "aria-label": label, change: choose(id, "pushState") },
    options.map(([value, name]) => element("option", { value }, name)));
}

function begin() {
  const scores = [...SCORES.values()].map(({ name, heading }) => [name, `by ${heading}`]);
  document.getElementById("controls").append(
    element("input", { type: "search", id: "words", placeholder: "Search questions, answers, gold, ids",
      "aria-label": "search", input: choose("words", "replaceState") }),
    choice("category", "category", [["", "all categories"], ...CATEGORIES]),
    choice("outcome", "right or wrong", [["", "right or wrong"], ...OUTCOMES.map((name) => [name, worded(name)])]),
    choice("score", "the score that decides", scores),
    element("span", { class: "soft", id: "found", role: "status" }),
    element("span", { class: "soft", id: "address", role: "status" }));
  // A plain anchor such as #scores leaves the table as it is.
  const isAnchor = () => location.hash.length > 1 && !location.hash.includes("=");
  addEventListener("hashchange", () => { if (!isAnchor()) readAddress(); });
  if (!isAnchor()) return readAddress();
  scoreRows();
  show();
}

begin();
