"use strict";
// Links to the questions behind a number, and the box that explains it.

const tip = document.getElementById("tip");
let explained = null;

function element(name, attributes, ...children) {
  const node = Object.assign(document.createElement(name), attributes);
  node.append(...children);
  return node;
}

function explain(cell, ...more) {
  explained = cell;
  tip.replaceChildren(...cell.dataset.tip.split(/(?<=[.)]) (?=[A-Z])/).map((line) => element("p", {}, line)), ...more);
  tip.hidden = false;
  place(cell);
}

function place(cell) {
  const [box, own] = [cell.getBoundingClientRect(), tip.getBoundingClientRect()];
  const below = box.bottom + own.height + 8 < innerHeight;
  tip.style.left = `${Math.max(12, Math.min(box.right - own.width, innerWidth - own.width - 12))}px`;
  tip.style.top = `${below ? box.bottom + 6 : Math.max(6, box.top - own.height - 6)}px`;
}

// A page from disk cannot know whether the report of a run is written, so it says how to write it.
function leadToQuestions(event) {
  const cell = event.target.closest("a.cell");
  if (!cell || location.protocol !== "file:") return;
  event.preventDefault();
  const run = decodeURIComponent(new URL(cell.href).pathname).replace(/\/report\.html$/, "");
  explain(cell,
    element("p", {}, "The questions are in the report of the run. ", element("a", { href: cell.href }, "Open it"),
      ", or write it first:"), element("p", {}, element("code", {}, `remem report '${run}'`)),
    element("p", {}, "remem view shows all reports without this step."));
}

const hovered = ({ target }) => { if (target.dataset?.tip) explain(target); };
const left = ({ target }) => { if (target.dataset?.tip && !tip.matches(":hover")) tip.hidden = true; };
for (const [kind, act] of [["mouseover", hovered], ["focusin", hovered], ["mouseout", left], ["focusout", ({ relatedTarget }) => { if (!tip.contains(relatedTarget)) tip.hidden = true; }]]) {
  document.addEventListener(kind, act);
}
tip.addEventListener("mouseleave", () => { tip.hidden = true; });
document.addEventListener("scroll", () => {
  if (explained === document.activeElement) place(explained);
  else tip.hidden = true;
}, { capture: true, passive: true });
document.addEventListener("keydown", ({ key }) => { if (key === "Escape") tip.hidden = true; });
document.addEventListener("click", leadToQuestions);
for (const cell of document.querySelectorAll("[data-tip]")) cell.setAttribute("aria-description", cell.dataset.tip);
