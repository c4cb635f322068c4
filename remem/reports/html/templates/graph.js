// A part of the memory as a graph: a question, an item or a phrase, the gists and facts around it, and their phrases.

const DRAWING = "http://www.w3.org/2000/svg";
const MOST_AROUND = 12;
const MOST_PHRASES = 14;
const [ITEM_ROW, PHRASE_ROW] = [48, 34];
// Where the columns begin and end, in per cent of the width.
const [PHRASES_BESIDE, NO_PHRASES] = [[[0, 19], [27, 66], [76, 100]], [[0, 19], [30, 95]]];
const EDGES = {
  retrieved: "retrieved: given to the reader", episode: "episode: from the same episode",
  relation: "relation: a fact and its phrases", context: "context: a gist and a phrase of its episode",
  synonymy: "synonymy: gists with almost the same text",
};

function drawn(name, attributes, ...children) {
  const made = document.createElementNS(DRAWING, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function graphOfQuestion(question) {
  const kept = data.items[question.history];
  if (!kept || !question.items) return "";
  const items = new Map(itemsOf(kept).map((item) => [item.id, item]));
  const around = question.items.flatMap(([id], at) => {
    const item = items.get(id);
    return item ? { item, kind: "retrieved", place: question.unranked ? "" : `${at + 1}. ` } : [];
  });
  if (!around.length) return "";
  const golden = new Set((question.evidence || []).map(([, , id]) => id));
  const open = (change) => openInMemory(String(question.history), change);
  return [heading("as a graph"), graph(kept, { name: "question", text: question.question }, around, open, golden)];
}

// Around a gist or a fact: what is synonymous with it, then what is of its episode.
function graphOfItem(kept, items, item) {
  const alike = synonymsOf(kept, item.id);
  const ofEpisode = items.filter(({ id, episode }) => id !== item.id && !alike.has(id) && episode === item.episode);
  const around = [...items.filter(({ id }) => alike.has(id)).map((one) => ({ item: one, kind: "synonymy" })),
    ...ofEpisode.map((other) => ({ item: other, kind: "episode" }))];
  return graph(kept, { name: item.id, text: item.text, item }, around, look);
}

function graphOfPhrase(kept, phrase, facts, gists) {
  const around = [...facts.map((item) => ({ item, kind: "relation" })), ...gists.map((item) => ({ item, kind: "context" }))];
  return graph(kept, { name: phrase, text: "", phrase }, around, look);
}

function synonymsOf(kept, id) {
  const place = kept.gists.findIndex(([gist]) => gist === id);
  return new Set(kept.synonyms.filter((pair) => place >= 0 && pair.includes(place))
    .map(([one, other]) => kept.gists[one === place ? other : one][0]));
}

// The phrases of facts come first, since only so many are drawn.
function phraseEdges(kept, items) {
  const relations = items.flatMap((item) => item.phrases.map((phrase) => ({ ends: [item, phrase], kind: "relation" })));
  const contexts = items.filter(({ phrases }) => !phrases.length).flatMap((item) => {
    const facts = kept.facts.filter(([, , episode]) => episode === item.episode);
    return [...new Set(facts.flatMap(([, , , , subject, , object]) => [subject, object]))]
      .map((phrase) => ({ ends: [item, phrase], kind: "context" }));
  });
  return [...relations, ...contexts];
}

function synonymEdges(kept, items) {
  const gists = new Map(items.map((item) => [item.id, item]));
  return kept.synonyms.map((pair) => pair.map((place) => gists.get(kept.gists[place][0])))
    .filter(([one, other]) => one && other).map((ends) => ({ ends, kind: "synonymy" }));
}

// In the order of the items they are tied to, so that few edges cross.
function byItems(phrases, edges, items) {
  const middle = new Map(phrases.map((phrase) => {
    const places = edges.filter(({ ends }) => ends[1] === phrase).map(({ ends }) => items.indexOf(ends[0]));
    return [phrase, places.reduce((sum, place) => sum + place, 0) / places.length];
  }));
  return [...phrases].sort((a, b) => middle.get(a) - middle.get(b));
}

// The place of each node: the column it is in, and the height of its middle.
function placed(centre, items, phrases, height) {
  const columns = phrases.length ? PHRASES_BESIDE : NO_PHRASES;
  const column = (nodes, at, row) => nodes.map((node, number) =>
    [node, { column: columns[at], y: height / 2 + (number - (nodes.length - 1) / 2) * row }]);
  return new Map([...column([centre], 0, ITEM_ROW), ...column(items, 1, ITEM_ROW), ...column(phrases, 2, PHRASE_ROW)]);
}

function graph(kept, centre, around, open, golden = new Set()) {
  const near = around.slice(0, MOST_AROUND);
  const items = near.map(({ item }) => item);
  const ties = phraseEdges(kept, centre.item ? [centre.item, ...items] : items).filter(({ ends }) => ends[1] !== centre.phrase);
  const all = [...new Set(ties.map(({ ends }) => ends[1]))];
  const phrases = byItems(all.slice(0, MOST_PHRASES), ties, items);
  const height = 4 + Math.max(1, items.length, phrases.length * PHRASE_ROW / ITEM_ROW) * ITEM_ROW;
  const places = placed(centre, items, phrases, height);
  const edges = [...near.map(({ item, kind }) => ({ ends: [centre, item], kind })), ...ties, ...synonymEdges(kept, items)]
    .map(({ ends, kind }) => ({ ends: ends.map((end) => (end === centre.item ? centre : end)), kind }))
    .filter(({ ends }) => ends.every((end) => places.has(end)))
    .map((edge, at) => ({ ...edge, line: edgeDrawn(edge.kind, at, edge.ends.map((end) => places.get(end))) }));
  const light = (node, on) => () => edges.forEach(({ ends, line }) => line.classList.toggle("lit", on && ends.includes(node)));
  const shown = (node, facts) => nodeDrawn(places.get(node), light.bind(null, node), facts);
  const svg = drawn("svg", { height, role: "group", "aria-label": `graph around ${centre.name}` },
    ...edges.map(({ line }) => line), shown(centre, { ...centre, kind: "centre" }),
    ...near.map(({ item, place = "" }) => shown(item, {
      name: `${place}${item.id} ${item.time.replace(/T[\d:.]+/g, "")}`.trim(), text: item.text, act: () => open({ item: item.id, phrase: "" }),
      kind: `${item.phrases.length ? "facts" : "gists"} ${golden.has(item.id) ? "golden" : ""}` })),
    ...phrases.map((phrase) => shown(phrase, { name: "", text: phrase, kind: "phrase", act: () => open({ phrase, item: "" }) })));
  return element("figure", { class: "graph" }, svg, graphLegend(items, edges, golden),
    element("figcaption", {}, "Choose a gist, a fact or a phrase to open it in the memory.",
      around.length > items.length ? ` And ${around.length - items.length} more gists and facts.` : "",
      all.length > phrases.length ? ` And ${all.length - phrases.length} more phrases.` : ""));
}

function graphLegend(items, edges, golden) {
  const entry = (kind, text) => element("li", {}, element("span", { class: kind }), text);
  return element("ul", { class: "legend" },
    items.some(({ phrases }) => !phrases.length) ? entry("key gists", "gist") : "",
    items.some(({ phrases }) => phrases.length) ? entry("key facts", "fact") : "",
    items.some(({ id }) => golden.has(id)) ? entry("key right", "holds gold evidence") : "",
    Object.keys(EDGES).filter((kind) => edges.some((edge) => edge.kind === kind)).map((kind) => entry(`line ${kind}`, EDGES[kind])));
}

// A line to the next column; within a column a bracket to the right of it, so that nothing is crossed.
function edgeDrawn(kind, at, [from, to]) {
  const line = (x1, y1, x2, y2) => drawn("line", { x1: `${x1}%`, y1, x2: `${x2}%`, y2 });
  const [right, left] = [from.column[1], to.column[0]];
  const side = right + 1.5 + at % 3;
  const lines = from.column === to.column
    ? [line(right, from.y, side, from.y), line(side, from.y, side, to.y), line(side, to.y, right, to.y)]
    : [line(right, from.y, left, to.y)];
  const x = from.column === to.column ? side : (right + left) / 2;
  return drawn("g", { class: `edge ${kind}` }, drawn("title", {}, EDGES[kind]), ...lines,
    drawn("text", { x: `${x}%`, y: (from.y + to.y) / 2 + 4, "text-anchor": "middle" }, kind));
}

function nodeDrawn({ y, column: [left, right] }, light, { name, text, kind, act }) {
  const height = (kind === "phrase" || kind === "centre" ? PHRASE_ROW : ITEM_ROW) - 6;
  const label = kind === "centre" ? "" : text;
  const node = element(act ? "button" : "div", { class: `node ${kind}`, title: [name, text].filter(Boolean).join(" "), click: act,
    mouseenter: light(true), focus: light(true), mouseleave: light(false), blur: light(false) },
    element("span", {}, element("b", {}, name), label && ` ${label}`));
  return drawn("foreignObject", { x: `${left}%`, y: y - height / 2, width: `${right - left}%`, height }, node);
}
