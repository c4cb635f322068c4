// The rows of a table: search, filters, order, and what explains a number. Their state is in the address.

const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
const blocks = [...document.querySelectorAll(".block")].map((place) => ({
  place, title: place.querySelector("h2").textContent,
  table: place.querySelector("table"),
  heads: [...place.querySelectorAll("thead th")],
  rows: [...place.querySelectorAll("tbody tr")],
}));
const groups = [...new Set(blocks.flatMap(({ heads }) => heads.map((head) => head.dataset.group)))].filter(Boolean);

// A column without a number in a row puts the row last, whatever the order.
function inOrder(block, at, sign) {
  const valueOf = (row) => {
    const { value } = row.children[at].dataset;
    if (at === 0) return row.children[0].textContent;
    return value === undefined ? undefined : Number(value);
  };
  return [...block.rows].sort((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === b) return 0;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return a < b ? -sign : sign;
  });
}

function show() {
  const words = (state.get("words") || "").toLowerCase();
  const [title, group] = [state.get("block"), state.get("dataset")];
  const down = (state.get("sort") || "").startsWith("-");
  const sorted = (state.get("sort") || "").replace(/^-/, "");
  let rows = 0;
  for (const block of blocks) {
    const at = block.heads.findIndex((head) => sorted && nameOf(head) === sorted);
    const order = at < 0 ? block.rows : inOrder(block, at, down ? -1 : 1);
    block.table.tBodies[0].append(...order);
    block.heads.forEach((head, place) => {
      head.setAttribute("aria-sort", place !== at ? "none" : down ? "descending" : "ascending");
      const hidden = Boolean(group && head.dataset.group && head.dataset.group !== group);
      for (const row of [head.parentElement, ...block.rows]) row.children[place].hidden = hidden;
    });
    let left = 0;
    for (const row of block.rows) {
      row.hidden = !row.children[0].textContent.toLowerCase().includes(words);
      left += row.hidden ? 0 : 1;
    }
    block.place.hidden = Boolean(title && title !== block.title) || (words && !left);
    rows += block.place.hidden ? 0 : left;
  }
  document.getElementById("count").textContent = `${rows} row${rows === 1 ? "" : "s"}`;
}

function nameOf(head) {
  return head.firstElementChild.textContent;
}

function change(name, value) {
  if (value) state.set(name, value);
  else state.delete(name);
  history.replaceState(null, "", state.size ? `#${state}` : location.pathname + location.search);
  show();
}

// Numbers are best first, names from A to Z; then the other way round; then as written.
function sortBy(head) {
  const name = nameOf(head);
  const [first, second] = head.cellIndex ? [`-${name}`, name] : [name, `-${name}`];
  change("sort", { [first]: second, [second]: "" }[state.get("sort")] ?? first);
}

function choice(name, label, values) {
  if (values.length < 2) return "";
  const options = values.map((value) => element("option", { value }, value));
  const list = element("select", { ariaLabel: label, onchange: () => change(name, list.value) },
    element("option", { value: "" }, label), ...options);
  list.value = values.includes(state.get(name)) ? state.get(name) : "";
  return list;
}

function begin() {
  for (const { heads } of blocks) {
    for (const head of heads) {
      const [text] = head.childNodes;
      text.replaceWith(element("button", { type: "button", onclick: () => sortBy(head) }, text.cloneNode()));
    }
  }
  const search = element("input", { type: "search", placeholder: "Search methods", ariaLabel: "search methods",
    value: state.get("words") || "", oninput: () => change("words", search.value) });
  const count = element("span", { id: "count", className: "soft", role: "status" });
  document.getElementById("controls").append(search,
    choice("block", "all blocks", blocks.map(({ title }) => title)), choice("dataset", "all datasets", groups), count);
  document.getElementById("find").open = ["words", "block", "dataset"].some((name) => state.has(name));
  show();
}

begin();
