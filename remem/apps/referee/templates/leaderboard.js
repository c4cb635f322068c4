"use strict";
// The filters of a leaderboard. The page already has every board; the script hides those not chosen.

const boards = [...document.querySelectorAll("section.board")];
const FILTERS = [["dataset", "all datasets"], ["convention", "all conventions"], ["judge", "all judges and scores"], ["models", "all models"]];
const chosen = { convention: boards[0].dataset.convention };

function values(board, key) {
  return board.dataset[key].split("\n");
}

function show() {
  let seen = 0;
  for (const board of boards) {
    board.hidden = FILTERS.some(([key]) => chosen[key] && !values(board, key).includes(chosen[key]));
    seen += board.hidden ? 0 : 1;
    for (const part of board.querySelectorAll("[data-model]")) {
      part.classList.toggle("hidden", Boolean(chosen.models) && part.dataset.model !== chosen.models);
    }
  }
  document.getElementById("found").textContent = `${seen} of ${boards.length} boards`;
}

function choice([key, label]) {
  const select = document.createElement("select");
  select.id = key;
  select.setAttribute("aria-label", label);
  const names = [...new Set(boards.flatMap((board) => values(board, key)))].sort();
  for (const name of ["", ...names]) {
    const option = document.createElement("option");
    option.value = name;
    option.textContent = name || label;
    option.selected = name === (chosen[key] || "");
    select.append(option);
  }
  select.addEventListener("change", () => { chosen[key] = select.value; show(); });
  return select;
}

const found = document.createElement("span");
found.id = "found";
found.setAttribute("role", "status");
document.getElementById("controls").append(...FILTERS.map(choice), found);
show();
