// The table of questions: search, filters, sort, pages, and a trace below the row that is opened.

const PAGE = 100;
const OUTCOMES = ["right", "partly", "wrong", "refused", "refused wrongly", "error"];
const state = { words: "", category: "", outcome: "", sort: -1, down: false, page: 0, open: new Set() };

const total = (counts) => (counts ? counts[1] + counts[2] : 0);
const rows = data.questions.map((question, place) => {
  question.main = data.main;
  const seconds = question.seconds || [0, 0];
  return {
    question, place, outcome: outcome(question),
    words: [question.id, question.question, question.answer, question.error, ...question.gold]
      .filter(Boolean).join("\n").toLowerCase(),
    cells: [
      question.question, question.category, question.answer || question.error || "",
      question.gold.join("; "), question.error ? -1 : question.scores[data.main] ?? -1,
      (question.steps || []).length, total(question.recall_tokens) + total(question.read_tokens)
        || question.context_tokens || 0,
      seconds[0] + seconds[1],
    ],
  };
});
const HEADINGS = ["question", "category", "answer", "gold", data.main, "steps", data.tokens, "seconds"];
const FIRST_NUMBER = 4;

function chosen() {
  const wanted = rows.filter(({ question, words, outcome }) =>
    (!state.words || words.includes(state.words))
    && (!state.category || question.category === state.category)
    && (!state.outcome || state.outcome === outcome
      || (state.outcome === "refused" && question.refused)
      || (state.outcome === "refused wrongly" && question.refused && !question.unanswerable)));
  if (state.sort < 0) return wanted;
  const sign = state.down ? -1 : 1;
  return wanted.sort((a, b) => {
    const [one, other] = [a.cells[state.sort], b.cells[state.sort]];
    return one < other ? -sign : one > other ? sign : a.place - b.place;
  });
}

function rowShown(row) {
  const { question, cells, outcome } = row;
  const open = state.open.has(row.place);
  const toggle = (event) => {
    event.stopPropagation();
    if (!state.open.delete(row.place)) state.open.add(row.place);
    show();
    const button = document.querySelector(`[data-place="${row.place}"]`);
    if (button) button.focus({ preventScroll: true });
  };
  const texts = cells.slice(1, FIRST_NUMBER).map((text, at) =>
    element("td", { "data-heading": HEADINGS[at + 1] }, element("div", { class: `clip ${at === 1 && question.error ? "error" : ""}` }, text),
      at === 1 && question.refused ? element("small", { class: "refused" }, "refused") : ""));
  const [score, steps, tokens, seconds] = cells.slice(FIRST_NUMBER);
  const numbers = [score < 0 ? "-" : score.toFixed(2), steps, tokens.toLocaleString("en"), seconds < 0.01 ? seconds.toPrecision(1) : seconds.toFixed(2)];
  const shown = element("tr", { class: open ? "row open" : "row", click: toggle },
    element("td", {}, element("button",
      { class: "asked", click: toggle, "aria-expanded": String(open), "data-place": row.place },
      element("div", { class: "clip" }, cells[0]))),
    texts, numbers.map((text, at) =>
      element("td", { class: at === 0 ? `number ${outcome}` : "number", "data-heading": HEADINGS[FIRST_NUMBER + at] }, String(text))));
  if (!open) return [shown];
  const trace = element("td", { class: "trace", colspan: HEADINGS.length }, traceOf(question));
  return [shown, element("tr", {}, trace)];
}

function headShown() {
  return element("thead", {}, element("tr", {}, HEADINGS.map((name, at) => {
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

function choice(id, label, names) {
  const change = (event) => { state[id] = event.target.value; state.page = 0; show(); };
  return element("select", { id, "aria-label": label, change },
    element("option", { value: "" }, label), names.map((name) => element("option", { value: name }, name)));
}

function begin() {
  const search = (event) => { state.words = event.target.value.toLowerCase(); state.page = 0; show(); };
  document.getElementById("controls").append(
    element("input", { type: "search", id: "search", placeholder: "Search questions, answers, gold, ids",
      "aria-label": "search", input: search }),
    choice("category", "all categories", [...new Set(rows.map((row) => row.question.category))].sort()),
    choice("outcome", "right or wrong", OUTCOMES),
    element("span", { class: "soft", id: "found", role: "status" }));
  show();
}

begin();
