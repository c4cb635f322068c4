// The memory: a list of gists and facts, the neighbourhood of each, and what it was made from.

const ITEMS = 60;
const fresh = { item: "", phrase: "", end: ITEMS };
const seen = { history: "", words: "", ...fresh };

// As much of a date as a text gives: "2021", "2021-04" or "2021-04-17".
function dateIn(time) {
  return (/\d{4}(?:-\d\d){0,2}/.exec(time) || [""])[0];
}

function itemsOf(kept) {
  const gists = kept.gists.map(([id, time, episode, sources, text]) => ({ id, time, episode, sources, text, phrases: [] }));
  const facts = kept.facts.map(([id, time, episode, sources, ...triple]) => (
    { id, time, episode, sources, text: triple.join(" | "), phrases: [triple[0], triple[2]] }));
  const items = [...gists, ...facts].map((item, place) => ({ ...item, place, date: dateIn(item.time) }));
  const order = (item) => item.date || "~";  // what has no date comes last
  return items.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : a.place - b.place));
}

function look(change) {
  Object.assign(seen, change);
  showMemory();
  const opened = (change.item || change.phrase) && document.querySelector("#memory-view .around");
  if (opened) {
    opened.focus({ preventScroll: true });
    opened.scrollIntoView({ block: "nearest" });
  }
}

function openInMemory(history, change) {
  document.getElementById("memory-history").value = history;
  document.getElementById("memory-search").value = "";
  look({ ...fresh, words: "", history, ...change });
}

function itemLink(item) {
  return element("li", {}, element("button", { class: "link", click: () => look({ item: item.id, phrase: "" }) }, item.id),
    ` ${item.time ? `[${item.time}] ` : ""}${item.text}`);
}

function phraseLink(phrase) {
  return element("li", {}, element("button", { class: "link", click: () => look({ phrase, item: "" }) }, phrase));
}

function aroundItem(kept, items, item) {
  const beside = items.filter((other) => other.episode === item.episode && other.id !== item.id);
  const alike = synonymsOf(kept, item.id);
  const phrases = [...new Set([item, ...beside].flatMap((one) => one.phrases))].sort();
  const messages = item.sources.map((id) => {
    const [speaker, date, text] = kept.messages[id] || ["", "", "(not in the data)"];
    return element("li", {}, element("code", {}, id), ` ${date ? `[${date}] ` : ""}${speaker ? `${speaker}: ` : ""}${text}`);
  });
  return element("div", { class: "around", tabindex: -1 }, element("h3", {}, `${item.id} ${item.text}`),
    graphOfItem(kept, items, item),
    heading(`where it came from: episode ${item.episode}`), element("ul", { class: "items texts" }, messages),
    alike.size ? [heading("synonymy edges"), element("ul", { class: "items texts" },
      items.filter((one) => alike.has(one.id)).map(itemLink))] : [],
    heading("of the same episode"), element("ul", { class: "items texts" }, beside.slice(0, ITEMS).map(itemLink)),
    beside.length > ITEMS ? element("p", { class: "soft" }, `and ${beside.length - ITEMS} more`) : "",
    phrases.length ? [heading("its phrases"), element("ul", { class: "items" }, phrases.slice(0, ITEMS).map(phraseLink))] : []);
}

function aroundPhrase(kept, items, phrase) {
  const facts = items.filter((item) => item.phrases.includes(phrase));
  const episodes = new Set(facts.map((fact) => fact.episode));
  const gists = items.filter((item) => !item.phrases.length && episodes.has(item.episode));
  const others = [...new Set(facts.flatMap((fact) => fact.phrases))].filter((one) => one !== phrase).sort();
  const list = (found) => element("ul", { class: "items texts" }, found.slice(0, ITEMS).map(itemLink));
  return element("div", { class: "around", tabindex: -1 }, element("h3", {}, phrase),
    graphOfPhrase(kept, phrase, facts, gists),
    heading(`relation edges: ${facts.length} facts`), list(facts),
    heading("related phrases"), element("ul", { class: "items" }, others.slice(0, ITEMS).map(phraseLink)),
    gists.length ? [heading(`context edges: ${gists.length} gists`), list(gists)] : []);
}

function showMemory() {
  const kept = data.items[seen.history];
  const items = itemsOf(kept);
  const found = items.filter((item) => !seen.words || `${item.id} ${item.time} ${item.text}`.toLowerCase().includes(seen.words));
  const item = items.find((one) => one.id === seen.item);
  const list = element("div", {},
    element("p", { class: "soft" }, `${found.length} of ${kept.gists.length} gists and ${kept.facts.length} facts, by time`),
    element("ul", { class: "items texts" }, found.slice(0, seen.end).map(itemLink)),
    found.length > seen.end
      ? element("button", { click: () => look({ end: seen.end + ITEMS }) }, "Show more") : "");
  const around = seen.phrase ? aroundPhrase(kept, items, seen.phrase)
    : item ? aroundItem(kept, items, item)
    : element("p", { class: "soft" }, "Choose a gist or a fact to see its neighbourhood.");
  document.getElementById("memory-view").replaceChildren(element("div", { class: "two" }, list, around));
}

function beginMemory() {
  const histories = Object.keys(data.items);
  if (!histories.length) return;
  seen.history = histories[0];
  document.getElementById("memory-controls").append(
    element("select", { id: "memory-history", "aria-label": "history",
      change: (event) => look({ ...fresh, history: event.target.value }) },
      histories.map((number) => element("option", { value: number }, data.histories[number]))),
    element("input", { type: "search", id: "memory-search", placeholder: "Search gists and facts", "aria-label": "search the memory",
      input: (event) => look({ ...fresh, words: event.target.value.toLowerCase() }) }));
  showMemory();
}

beginMemory();
