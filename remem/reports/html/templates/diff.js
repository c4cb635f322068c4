// The questions with the answers of all runs side by side, and all traces below the question that is opened.
// The address keeps the filters and the open questions, so that it leads back to them.

const PAGE = 100;
const DEFAULTS = { show: "disagree", category: "", what: "", words: "", page: "1" };
const state = { ...DEFAULTS, open: new Set() };
const hasGold = data.questions.some(({ gold }) => gold.length);

const rows = data.questions.map(({ answers, partings, ...question }) => {
  const traces = answers.map((answer) => ({ ...question, ...answer }));
  const scores = traces.map((trace) => (trace.scores || {})[data.score]);
  const known = scores.filter((score) => score !== undefined);
  const right = scores.flatMap((score, place) => (score >= data.half ? [place] : []));
  return {
    ...question, traces, partings, scores, right,
    agree: right.length === 0 || right.length === known.length,
    none: known.length > 0 && right.length === 0,
    words: [question.id, question.question, ...question.gold, ...traces.map(({ answer }) => answer)]
      .join("\n").toLowerCase(),
  };
});

const SHOWN = [
  ["disagree", "runs disagree", (row) => !row.agree],
  ["wrong", "all runs wrong", (row) => row.none],
  ...data.names.map((name, place) => [`only-${place + 1}`, `only ${name} right`,
    (row) => !row.agree && row.right.length === 1 && row.right[0] === place]),
  ["all", "every question", () => true],
];

function kindOf(trace, score) {
  if (trace.error) return "error";
  if (score === undefined) return "not scored";
  return score >= data.half ? "right" : score > 0 ? "partly" : "wrong";
}

function partedText([step, what]) {
  return step === null ? what : `step ${step}: ${what}`;
}

function answerShown(row, place) {
  const [trace, score] = [row.traces[place], row.scores[place]];
  const kind = kindOf(trace, score);
  const retrieved = (trace.evidence || []).filter(([, at]) => at !== undefined).map(([message]) => message);
  const parting = place ? row.partings[place - 1] : undefined;
  return element("td", { class: `answer ${kind}`, "data-heading": data.names[place] }, element("div", {},
    element("div", { class: "clip" }, trace.answer || trace.error || "(empty)"),
    element("small", { class: kind }, kind, score === undefined ? "" : `, ${Number(score.toFixed(2))}`, trace.refused ? ", refused" : ""),
    trace.evidence ? element("small", {}, `evidence ${retrieved.length} of ${trace.evidence.length}${retrieved.length ? `: ${retrieved.join(", ")}` : ""}`) : "",
    parting ? element("small", {}, partedText(parting)) : ""));
}

function sideShown(row, place) {
  const parting = place ? row.partings[place - 1] : undefined;
  const trace = traceOf({ ...row.traces[place], id: "", question: "", gold: [] });
  const parted = place ? [parting] : row.partings;
  for (const [step] of parted.filter(([number]) => number !== null)) {
    for (const shown of trace.querySelectorAll(`ol.steps > li:nth-child(${step})`)) shown.classList.add("parted");
  }
  return element("div", {}, element("h3", {}, data.names[place]),
    element("p", { class: "soft" }, parting ? `Compared with ${data.names[0]}: ${partedText(parting)}` : ""), trace);
}

function rowShown(row) {
  const open = state.open.has(row.id);
  const toggle = (event) => {
    event.stopPropagation();
    if (!state.open.delete(row.id)) state.open.add(row.id);
    show();
    focusOn(row.id);
  };
  const asked = element("tr", { class: open ? "row open" : "row", click: toggle },
    element("td", { class: "question" },
      element("button", { class: "asked", click: toggle, "aria-expanded": String(open), "data-question": row.id }, row.question),
      element("small", {}, data.categories[row.category])),
    hasGold ? element("td", { class: "gold", "data-heading": "gold" }, element("div", { class: "clip" }, row.gold.join("; "))) : "",
    row.traces.map((_, place) => answerShown(row, place)));
  if (!open) return [asked];
  const link = element("a", { class: "link", href: `#${new URLSearchParams({ question: row.id })}` }, "Link to this question");
  return [asked, element("tr", {}, element("td", { class: "trace", colspan: data.names.length + 1 + hasGold },
    pairs([["id", [row.id, " ", link]], ["question", row.question], ["gold", row.gold.join("\n")]]), element("div", { class: "sides" }, row.traces.map((_, place) => sideShown(row, place)))))];
}

function focusOn(id) {
  const button = [...document.querySelectorAll("button.asked")].find((one) => one.dataset.question === id);
  if (button) button.focus({ preventScroll: true });
  return button;
}

function chosen() {
  const [, , isShown] = SHOWN.find(([value]) => value === state.show) || SHOWN[0];
  const words = state.words.toLowerCase();
  return rows.filter((row) => isShown(row) && (!words || row.words.includes(words))
    && (!state.category || row.category === state.category)
    && (!state.what || row.partings.some(([, what]) => what === state.what)));
}

function show() {
  const wanted = chosen();
  const pages = Math.max(1, Math.ceil(wanted.length / PAGE));
  const page = Math.min(Math.max(1, Number(state.page) || 1), pages);
  document.getElementById("table").replaceChildren(
    element("thead", {}, element("tr", {}, element("th", { class: "question" }, "question"),
      hasGold ? element("th", { class: "gold" }, "gold") : "", data.names.map((name) => element("th", {}, name)))),
    element("tbody", {}, wanted.slice((page - 1) * PAGE, page * PAGE).flatMap(rowShown)));
  document.getElementById("found").textContent =
    `${wanted.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} questions`;
  const turn = (by) => () => { state.page = String(page + by); show(); };
  document.getElementById("pages").replaceChildren(...(pages === 1 ? [] : [
    element("button", { click: turn(-1), disabled: page === 1 && "" }, "Earlier"),
    element("span", { class: "soft" }, `page ${page} of ${pages}`),
    element("button", { click: turn(1), disabled: page === pages && "" }, "Later")]));
  const kept = new URLSearchParams(Object.keys(DEFAULTS).filter((name) => state[name] !== DEFAULTS[name])
    .map((name) => [name, state[name]]).concat([...state.open].map((id) => ["question", id])));
  if (`${kept}` || location.hash.includes("=")) history.replaceState(null, "", `#${kept}`);
}

function goToAddress() {
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(DEFAULTS)) state[name] = kept.get(name) ?? DEFAULTS[name];
  state.open = new Set(kept.getAll("question"));
  const [first] = state.open;
  if (first !== undefined && !chosen().some((row) => row.id === first)) Object.assign(state, DEFAULTS, { show: "all" });
  const place = first === undefined ? -1 : chosen().findIndex((row) => row.id === first);
  if (place >= 0) state.page = String(1 + Math.floor(place / PAGE));
  for (const name of ["show", "category", "what", "words"]) {
    const control = document.getElementById(name);
    if (control) control.value = state[name];
  }
  show();
  if (place >= 0) focusOn(first).scrollIntoView({ block: "center" });
}

function choice(id, label, names) {
  if (names.length < 2) return "";
  const change = (event) => { Object.assign(state, { [id]: event.target.value, page: "1" }); show(); };
  return element("select", { id, "aria-label": label, change },
    names.map(([value, name]) => element("option", { value }, name)));
}

function sorted(names) {
  return [...names].sort(([, one], [, other]) => (one < other ? -1 : 1));
}

function begin() {
  const search = (event) => { Object.assign(state, { words: event.target.value, page: "1" }); show(); };
  const whats = new Set(rows.flatMap(({ partings }) => partings.map(([, what]) => what)));
  document.getElementById("controls").append(
    choice("show", "which questions", SHOWN),
    choice("category", "category", [["", "all categories"], ...sorted(Object.entries(data.categories))]),
    choice("what", "where the runs diverged", [["", "any difference"], ...sorted([...whats].map((what) => [what, what]))]),
    element("input", { type: "search", id: "words", placeholder: "Search questions and answers", "aria-label": "search", input: search }),
    element("span", { class: "soft", id: "found", role: "status" }));
  const scrolled = document.getElementById("table").parentElement;
  for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": "answers of all runs" })) {
    scrolled.setAttribute(name, value);
  }
  addEventListener("hashchange", () => { if (location.hash.includes("=")) goToAddress(); });
  goToAddress();
}

begin();
