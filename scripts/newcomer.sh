#!/usr/bin/env bash
# A newcomer's first minutes: a clean clone, an empty HOME, the quickstart's own commands, and how long each took.
set -euo pipefail
cd "$(dirname "$0")/.."
commit="$(git rev-parse HEAD)"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
git clone --quiet . "$place/remem"
mkdir "$place/home"
cd "$place/remem"
git checkout --quiet "$commit"

# Those of the fenced lines of docs/quickstart.md that lead to a table, to the report of a run, and to an answer about one's own log.
wanted=('make reproduce-table *(#.*)?$' '\. \.venv/bin/activate' 'remem report results/' 'remem ask ')
awk '/^ *```/ { fenced = !fenced; next } fenced' docs/quickstart.md > "$place/fenced"
for one in "${wanted[@]}"; do
  grep -qE "^$one" "$place/fenced" || { echo "newcomer: no fenced line of docs/quickstart.md begins with $one"; exit 1; }
done
grep -E "^($(IFS='|'; echo "${wanted[*]}"))" "$place/fenced" > "$place/commands"

cat > "$place/newcomer" <<'EOF'
took() { printf '%d:%02d min  %s\n' $(($1 / 60)) $(($1 % 60)) "$2"; }
shows() { grep -qE "$1" "$2" || { cat "$said"; echo "newcomer: expected $1 in $2"; exit 1; }; }
said="$HOME/said"
while read -r command; do
  begun=$SECONDS
  eval "$command" > "$said" 2>&1 < /dev/null || { cat "$said"; echo "newcomer: failed: $command"; exit 1; }
  took $((SECONDS - begun)) "${command%%  *#*}"
  case $command in
    make*) shows 'REMem-I \(scripted\)' "$said" ;;
    'remem report'*) shows 'id="memory-view"' "$(sed -n 's/^Written: \(.*\) (.*/\1/p' "$said")" ;;
    'remem ask'*) shows 'when: 2 June 2023' "$said" ;;
  esac
done
took $SECONDS "in all"
EOF
env -i HOME="$place/home" PATH="$PATH" LANG="${LANG:-C.UTF-8}" \
  ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CONFIG_FILE:+PIP_CONFIG_FILE="$PIP_CONFIG_FILE"} \
  bash -euo pipefail "$place/newcomer" < "$place/commands"
