// The memory: a timeline of gists and facts, the neighbourhood of each, and what it was made from.

const ITEMS = 60;
const DRAWING = "http://www.w3.org/2000/svg";
const seen = { history: "", words: "", item: "", phrase: "", end: ITEMS };

function year(time) {
  const found = /(\d{4})(?:-(\d\d))?(?:-(\d\d))?/.exec(time);
  return found ? Number(found[1]) + ((found[2] || 1) - 1) / 12 + ((found[3] || 1) - 1) / 372 : undefined;
}

function itemsOf(kept) {
  const gists = kept.gists.map(([id, time, episode, sources, text]) => ({ id, time, episode, sources, text, phrases: [] }));
  const facts = kept.facts.map(([id, time, episode, sources, ...triple]) => (
    { id, time, episode, sources, text: triple.join(" | "), phrases: [triple[0], triple[2]] }));
  const items = [...gists, ...facts].map((item, place) => ({ ...item, place, year: year(item.time) }));
  return items.sort((a, b) => (a.year ?? Infinity) - (b.year ?? Infinity) || a.place - b.place);
}

function look(change) {
  Object.assign(seen, change);
  showMemory();
}

function itemLink(item) {
  return element("li", {}, element("button", { class: "link", click: () => look({ item: item.id, phrase: "" }) }, item.id),
    ` ${item.time ? `[${item.time}] ` : ""}${item.text}`);
}

function phraseLink(phrase) {
  return element("li", {}, element("button", { class: "link", click: () => look({ phrase, item: "" }) }, phrase));
}

function timeline(items) {
  const dated = items.filter((item) => item.year !== undefined);
  if (dated.length < 2) return "";
  const [first, last] = [dated[0].year, dated[dated.length - 1].year];
  const drawing = document.createElementNS(DRAWING, "svg");
  drawing.setAttribute("class", "dots");
  drawing.setAttribute("viewBox", "0 0 1000 90");
  const heights = new Map();
  for (const item of dated) {
    const x = Math.round(10 + 980 * (item.year - first) / (last - first || 1));
    const level = heights.get(x) || 0;
    heights.set(x, level + 1);
    const dot = document.createElementNS(DRAWING, "circle");
    for (const [name, value] of [["cx", x], ["cy", 70 - 7 * Math.min(level, 9)], ["r", 4]]) dot.setAttribute(name, value);
    if (item.id === seen.item) dot.setAttribute("class", "chosen");
    const tip = document.createElementNS(DRAWING, "title");
    tip.textContent = `${item.id} [${item.time}] ${item.text}`;
    dot.append(tip);
    dot.addEventListener("click", () => look({ item: item.id, phrase: "" }));
    drawing.append(dot);
  }
  for (const [at, anchor, item] of [[10, "start", dated[0]], [990, "end", dated[dated.length - 1]]]) {
    const text = document.createElementNS(DRAWING, "text");
    for (const [name, value] of [["x", at], ["y", 88], ["text-anchor", anchor]]) text.setAttribute(name, value);
    text.textContent = item.time;
    drawing.append(text);
  }
  return drawing;
}

function aroundItem(kept, items, item) {
  const beside = items.filter((other) => other.episode === item.episode && other.id !== item.id);
  const place = kept.gists.findIndex(([id]) => id === item.id);
  const alike = kept.synonyms.filter((pair) => place >= 0 && pair.includes(place))
    .map(([one, other]) => kept.gists[one === place ? other : one][0]);
  const phrases = [...new Set([item, ...beside].flatMap((one) => one.phrases))].sort();
  const messages = item.sources.map((id) => {
    const [speaker, date, text] = kept.messages[id] || ["", "", "(not in the data)"];
    return element("li", {}, element("code", {}, id), ` ${date ? `[${date}] ` : ""}${speaker ? `${speaker}: ` : ""}${text}`);
  });
  return element("div", {}, element("h3", {}, `${item.id} ${item.text}`),
    heading(`where it came from: episode ${item.episode}`), element("ul", { class: "items texts" }, messages),
    alike.length ? [heading("synonymy edges"), element("ul", { class: "items texts" },
      items.filter((one) => alike.includes(one.id)).map(itemLink))] : [],
    heading("of the same episode"), element("ul", { class: "items texts" }, beside.slice(0, ITEMS).map(itemLink)),
    beside.length > ITEMS ? element("p", { class: "soft" }, `and ${beside.length - ITEMS} more`) : "",
    phrases.length ? [heading("its phrases"), element("ul", { class: "items" }, phrases.slice(0, ITEMS).map(phraseLink))] : []);
}

function aroundPhrase(items, phrase) {
  const facts = items.filter((item) => item.phrases.includes(phrase));
  const episodes = new Set(facts.map((fact) => fact.episode));
  const gists = items.filter((item) => !item.phrases.length && episodes.has(item.episode));
  const others = [...new Set(facts.flatMap((fact) => fact.phrases))].filter((one) => one !== phrase).sort();
  const list = (found) => element("ul", { class: "items texts" }, found.slice(0, ITEMS).map(itemLink));
  return element("div", {}, element("h3", {}, phrase),
    heading(`relation edges: ${facts.length} facts`), list(facts),
    heading("related phrases"), element("ul", { class: "items" }, others.slice(0, ITEMS).map(phraseLink)),
    gists.length ? [heading(`context edges: ${gists.length} gists`), list(gists)] : []);
}

function showMemory() {
  const kept = data.items[seen.history];
  const items = itemsOf(kept);
  const wanted = items.filter((item) => !seen.words || `${item.id} ${item.time} ${item.text}`.toLowerCase().includes(seen.words));
  const item = items.find((one) => one.id === seen.item);
  const list = element("div", {},
    element("p", { class: "soft" }, `${wanted.length} of ${kept.gists.length} gists and ${kept.facts.length} facts, by time`),
    element("ul", { class: "items texts" }, wanted.slice(0, seen.end).map(itemLink)),
    wanted.length > seen.end
      ? element("button", { click: () => look({ end: seen.end + ITEMS }) }, "Show more") : "");
  const around = seen.phrase ? aroundPhrase(items, seen.phrase)
    : item ? aroundItem(kept, items, item)
    : element("p", { class: "soft" }, "Choose a gist, a fact or a dot to see its neighbourhood.");
  document.getElementById("memory-view").replaceChildren(
    timeline(wanted), element("div", { class: "two" }, list, around));
}

function beginMemory() {
  const histories = Object.keys(data.items);
  if (!histories.length) return;
  seen.history = histories[0];
  const fresh = { item: "", phrase: "", end: ITEMS };
  document.getElementById("memory-controls").append(
    element("select", { id: "memory-history", "aria-label": "history",
      change: (event) => look({ ...fresh, history: event.target.value }) },
      histories.map((number) => element("option", { value: number }, data.histories[number]))),
    element("input", { type: "search", id: "memory-search", placeholder: "Search gists and facts", "aria-label": "search the memory",
      input: (event) => look({ ...fresh, words: event.target.value.toLowerCase() }) }));
  showMemory();
}

beginMemory();
