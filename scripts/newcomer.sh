#!/usr/bin/env bash
# A newcomer's first minutes: a clean clone, an empty HOME, the quickstart's own commands, and how long each took.
# Then the wheel in an empty folder, without the clone, and a run whose model is not there.
set -euo pipefail
cd "$(dirname "$0")/.."
commit="$(git rev-parse HEAD)"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
git clone --quiet . "$place/remem"
mkdir "$place/home" "$place/elsewhere"
cd "$place/remem"
git checkout --quiet "$commit"

awk '/^ *```/ { fenced = !fenced; next } fenced' docs/quickstart.md > "$place/fenced"
# Write those fenced lines that begin with one of these patterns, in their order.
chosen() {
  for command in "$@"; do
    grep -qE "^$command" "$place/fenced" || { echo "newcomer: no fenced line of docs/quickstart.md begins with $command" >&2; exit 1; }
  done
  grep -E "^($(IFS='|'; echo "$*"))" "$place/fenced"
}
chosen 'make reproduce-table *(#.*)?$' '\. \.venv/bin/activate' 'remem report results/' 'remem log ask ' 'remem log table ' \
  'remem view *(#.*)?$' 'remem run ' > "$place/in_the_clone"
chosen 'remem log init ' 'remem table my_benchmark ' > "$place/without_a_clone"

cat > "$place/newcomer" <<'EOF'
took() { printf '%d:%02d min  %s\n' $(($1 / 60)) $(($1 % 60)) "$2"; }
shows() { grep -qE "$1" "$2" || { cat "$said"; echo "newcomer: expected $1 in $2"; exit 1; }; }
written() { sed -nE 's/^(Written|Page): //p' "$said" | tr -d ',' | tr ' ' '\n' | grep -m 1 "$1"; }
said="$HOME/said"

# Run a command, check its exit code, and print how long it took.
step() {
  local begun=$SECONDS code=0
  eval "$2" > "$said" 2>&1 < /dev/null || code=$?
  [ "$code" = "$1" ] || { cat "$said"; echo "newcomer: ended with $code instead of $1: $2"; exit 1; }
  took $((SECONDS - begun)) "${2%%  *#*}"
  case $2 in
    make*) shows 'REMem-I \(scripted\)' "$said" ;;
    'remem report'*) shows 'id="memory-view"' "$(written report.html)" ;;
    'remem log ask'*) shows 'when: 2 June 2023' "$said" ;;
    'remem log table'*) shows 'REMem-S' "$said"; shows 'REMem-S' "$(written report.html)" ;;
    'remem run'*openai_compatible*) shows 'nothing answers at http://127.0.0.1:1/v1' "$said" ;;
    'remem run'*) shows 'BM25 on generated_dialogues' "$said" ;;
    'remem log init'*) shows 'Try it: remem table my_benchmark' "$said" ;;
    'remem table my_benchmark'*) shows 'REMem-S' "$said" ;;
  esac
}

# Serve the pages of all runs, read the first one, and end the server.
view() {
  local begun=$SECONDS server url
  remem view --port 0 > "$HOME/served" 2>&1 &
  server=$!
  trap 'kill $server' EXIT
  until grep -q '^Runs: ' "$HOME/served"; do kill -0 $server; sleep 0.1; done
  url="$(sed -n 's/^Runs: \([^ ]*\).*/\1/p' "$HOME/served")"
  python -c 'import sys, urllib.request as web; print(web.urlopen(sys.argv[1]).read().decode())' "$url" > "$said"
  shows 'own_log' "$said"
  trap - EXIT
  kill $server
  took $((SECONDS - begun)) "remem view"
}

while read -r command; do
  case $command in
    'remem view'*) view ;;
    *) step 0 "$command" ;;
  esac
done < ../in_the_clone
step 3 'remem run method=bm25_messages reader=direct llm=openai_compatible llm.build.endpoint.base_url=http://127.0.0.1:1/v1 llm.build.endpoint.tries=1 run.histories=1 run.limit=2'
step 0 'python -m pip wheel --quiet --no-deps --wheel-dir ../elsewhere .'
deactivate
cd ../elsewhere
step 0 'python3 -m venv remem && remem/bin/pip install --quiet remem-*.whl'
PATH="$PWD/remem/bin:$PATH"
while read -r command; do step 0 "$command"; done < ../without_a_clone
took $SECONDS "in all"
EOF
env -i HOME="$place/home" PATH="$PATH" LANG="${LANG:-C.UTF-8}" \
  ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CONFIG_FILE:+PIP_CONFIG_FILE="$PIP_CONFIG_FILE"} \
  bash -euo pipefail "$place/newcomer"
