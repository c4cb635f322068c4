#!/usr/bin/env bash
# Build the sdist, the wheel from it, and try both as a user would: an empty environment, an empty HOME, no checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
rm -rf dist

"${1:-python3}" -m venv "$place/build"
"$place/build/bin/pip" install --quiet --disable-pip-version-check build
"$place/build/bin/python" -m build --outdir dist . > "$place/built" 2>&1 || { cat "$place/built"; exit 1; }
wheel="$(echo "$PWD"/dist/*.whl)"
sdist="$(echo "$PWD"/dist/*.tar.gz)"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)"

cat > "$place/try" <<'EOF'
python="$1" package="$2" version="$3"
"$python" -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "$package"
export PATH="$PWD/venv/bin:$PATH"
[ "$(remem --version)" = "remem $version" ] || { echo "dist: remem --version is not $version: $(remem --version)"; exit 1; }
python -c 'import pathlib, remem, sys; sys.exit(pathlib.Path(sys.prefix) not in pathlib.Path(remem.__file__).parents)'
remem log init my_benchmark > said 2>&1 && remem table my_benchmark --trust-config my_benchmark >> said 2>&1 || { cat said; exit 1; }
grep -q BM25 results/tables/my_benchmark/my_benchmark.csv
EOF

tried=0
tries() { # name, python, package
  begun=$SECONDS
  mkdir -p "$place/$1/home"
  (
    cd "$place/$1"
    env -i HOME="$place/$1/home" PATH=/usr/bin:/bin LANG="${LANG:-C.UTF-8}" \
      ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CONFIG_FILE:+PIP_CONFIG_FILE="$PIP_CONFIG_FILE"} \
      bash -euo pipefail "$place/try" "$2" "$3" "$version"
  ) || { echo "dist: failed: $1"; exit 1; }
  echo "$1: installed and made its first table in $((SECONDS - begun)) s"
  tried=$((tried + 1))
}

not_tried=""
for release in 3.11 3.12 3.13; do
  before=$tried
  for python in "python$release" "$HOME"/.pyenv/versions/"$release".*/bin/python; do
    "$python" -c '' 2> /dev/null || continue
    python="$("$python" -c 'import sys; print(sys.executable)')"
    tries "wheel-$release" "$python" "$wheel"
    [ "$tried" -gt 1 ] || tries "sdist-$release" "$python" "$sdist"
    break
  done
  [ "$tried" -gt "$before" ] || not_tried="$not_tried $release"
done
[ -z "$not_tried" ] || echo "dist: not tried, because it is not installed here: Python$not_tried"
[ "$tried" -gt 0 ] || { echo "dist: found no Python 3.11, 3.12 or 3.13"; exit 1; }
ls dist
