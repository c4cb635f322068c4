#!/usr/bin/env bash
# A newcomer's first minutes: a clean clone, an empty HOME, the README's own commands, and how long each took.
set -euo pipefail
cd "$(dirname "$0")/.."
commit="$(git rev-parse HEAD)"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
git clone --quiet . "$place/remem"
mkdir "$place/home"
cd "$place/remem"
git checkout --quiet "$commit"

begun=$SECONDS
as_newcomer() {
  env -i HOME="$place/home" PATH="$PATH" LANG="${LANG:-C.UTF-8}" \
    ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CONFIG_FILE:+PIP_CONFIG_FILE="$PIP_CONFIG_FILE"} \
    bash -euo pipefail -c "$1"
}
step() {
  local from=$SECONDS
  as_newcomer "$2" > "$place/said" 2>&1 || { cat "$place/said"; echo "newcomer: '$1' failed"; exit 1; }
  printf '%-42s %4d s\n' "$1" $((SECONDS - from))
}
shows() {
  grep -q "$1" "$2" || { cat "$2"; echo "newcomer: expected $1 in $2"; exit 1; }
}

step "make reproduce-table: to a table" "make reproduce-table"
shows "REMem-I (scripted)" "$place/said"
step "remem report: to a report" \
  ". .venv/bin/activate; remem report results/runs/generated_dialogues/remem_i+extractive+none/* --with-text"
shows "<html" "$(ls results/runs/generated_dialogues/remem_i+extractive+none/*/report.html)"
step "remem ask: to an answer about one's own log" \
  '. .venv/bin/activate; remem ask memory "When did Ann adopt a dog?" --add examples/own_log/diary.txt'
shows "2023-06-02" "$place/said"
printf '%-42s %4d s\n' "in all" $((SECONDS - begun))
