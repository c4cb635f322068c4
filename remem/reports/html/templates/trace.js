"use strict";
// What is shown is set as text, never as HTML: nothing of data or models can become an element.

const data = JSON.parse(document.getElementById("data").textContent);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== ""));
  return made;
}

function pairs(entries) {
  const shown = entries.filter(([, value]) => value !== undefined && value !== "");
  return element("dl", { class: "pair" },
    shown.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

const textsOfHistories = new Map();

function textsOf(history) {
  if (!textsOfHistories.has(history)) {
    const texts = new Map();
    const kept = data.items ? data.items[history] : undefined;
    if (kept) {
      for (const [id, [speaker, date, text]] of Object.entries(kept.messages)) {
        texts.set(id, [date && `[${date}]`, speaker && `${speaker}:`, text].filter(Boolean).join(" "));
      }
      for (const [id, time, , , text] of kept.gists) texts.set(id, (time && `[${time}] `) + text);
      for (const [id, time, , , ...triple] of kept.facts) {
        texts.set(id, [...triple, time].filter(Boolean).join(" | "));
      }
    }
    textsOfHistories.set(history, texts);
  }
  return textsOfHistories.get(history);
}

function itemText(history, id, sources) {
  const texts = textsOf(history);
  if (texts.has(id)) return texts.get(id);
  return (sources || []).filter((one) => texts.has(one)).map((one) => texts.get(one)).join(" ");
}

function itemList(question, ids, golden, count, scores) {
  const sources = new Map(question.items || []);
  const bearing = new Set(golden || []);
  const listed = ids.map((id, at) => {
    const from = sources.get(id);
    const text = itemText(question.history, id, from);
    const tip = from ? `from ${from.join(", ")}` : undefined;
    return element("li", { class: bearing.has(id) ? "golden" : undefined, title: tip },
      element("code", {}, id), scores === undefined ? "" : element("small", {}, ` ${scores[at]}`),
      text && ` ${text}`);
  });
  if (count > ids.length) listed.push(element("li", {}, `and ${count - ids.length} more`));
  const hasTexts = textsOf(question.history).size > 0;
  return element("ul", { class: hasTexts ? "items texts" : "items" }, listed);
}

function evidence(question) {
  const listed = question.evidence.map(([message, place, item]) => {
    const text = textsOf(question.history).get(message);
    const said = place === undefined ? "missed" : `found by ${item} at place ${place}`;
    return element("li", { class: place === undefined ? "missed" : "golden" },
      element("code", {}, message), ` ${said}`, text && `: ${text}`);
  });
  return element("ul", { class: "items texts" }, listed);
}

function stepShown(question, step) {
  const given = Object.entries(step.arguments || {}).map(([name, value]) => `${name} = ${value}`);
  return element("li", {},
    step.thought && element("div", { class: "thought" }, step.thought),
    element("div", {}, element("code", {}, `${step.tool}(${given.join(", ")})`)),
    step.message && element("div", { class: step.error ? "error" : "soft" }, step.message),
    step.count === undefined ? "" : element("div", {}, `count: ${step.count}`),
    step.seen && itemList(question, step.seen, step.golden, step.seen_count, step.seen_scores));
}

function callShown(call) {
  const heads = [call.stage, call.outcome, `${call.tokens[1]} tokens in, ${call.tokens[2]} out`];
  return element("details", {}, element("summary", {}, heads.join(" · ")),
    call.messages.map(([role, place]) => [
      element("div", { class: "soft" }, role), element("pre", {}, data.prompts[place])]),
    element("div", { class: "soft" }, "reply"), element("pre", {}, call.reply));
}

function tokensShown(counts) {
  if (!counts) return undefined;
  const [calls, into, out] = counts.map((count) => count.toLocaleString("en"));
  return `${into} in, ${out} out (${calls} calls)`;
}

function heading(text) {
  return element("h4", {}, text);
}

// `facts` are pairs of a name and a text that a page adds.
function traceOf(question, facts = []) {
  const scores = Object.entries(question.scores || {}).map(([name, value]) => `${name} ${value}`);
  const seconds = question.seconds;
  const bearing = (question.evidence || []).map(([, , item]) => item).filter(Boolean);
  const parts = [pairs([
    ["id", question.id], ["history", data.histories[question.history]], ...facts,
    ["question", question.question], ["gold", question.gold.join("\n")],
    ["answer", question.answer], ["proposed", question.proposed], ["error", question.error],
    ["scores", scores.join(", ")],
    ["refusal", question.refused ? (question.unanswerable ? "yes, and rightly" : "yes, wrongly")
      : question.unanswerable ? "no, though it is unanswerable" : undefined],
    ["tokens, recall", tokensShown(question.recall_tokens)],
    ["tokens, read", tokensShown(question.read_tokens)],
    ["tokens of evidence", question.context_tokens && question.context_tokens.toLocaleString("en")],
    ["dollars", question.dollars && `$${question.dollars}`],
    ["seconds", seconds && `${seconds[0]} recall, ${seconds[1]} read`],
  ])];
  if (question.evidence) parts.push(heading("gold evidence"), evidence(question));
  if (question.unresolved) parts.push(pairs([["evidence that points nowhere", question.unresolved.join(", ")]]));
  if (question.steps) {
    parts.push(heading("steps"),
      element("ol", { class: "steps" }, question.steps.map((step) => stepShown(question, step))));
  }
  if (question.items) {
    parts.push(heading(question.unranked ? "given to the reader, in no order of merit" : "given to the reader, best first"),
      itemList(question, question.items.map(([id]) => id), bearing, question.item_count));
  }
  if (question.calls) parts.push(heading("calls to models"), ...question.calls.map(callShown));
  return element("div", { class: "trace" }, parts);
}
