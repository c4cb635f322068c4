#!/usr/bin/env bash
# Does the core install without a compiler on Linux and macOS? Downloads its wheels for each.
# antlr4-python3-runtime (of Hydra) comes as a source package alone: its wheel, of pure Python, is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${1:-.venv/bin/python}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

"$python" - > "$folder/core.txt" <<'EOF'
import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")
EOF
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps -w "$folder/built" 'antlr4-python3-runtime==4.9.3'
ls "$folder/built" | grep -q 'none-any' || { echo "antlr4-python3-runtime is not pure Python"; exit 1; }

check() {
  local name="$1" version="$2"
  shift 2
  "$python" -m pip download --quiet --disable-pip-version-check --only-binary=:all: --find-links "$folder/built" \
    "${@/#/--platform=}" --python-version "$version" -d "$folder/$name-$version" -r "$folder/core.txt"
  echo "$name, Python $version: $(ls "$folder/$name-$version" | wc -l) wheels, $(du -sm "$folder/$name-$version" | cut -f1) MB"
}

for version in 3.11 3.12 3.13; do
  check linux-x86_64 "$version" manylinux2014_x86_64 manylinux_2_17_x86_64 manylinux_2_27_x86_64 manylinux_2_28_x86_64
  check linux-aarch64 "$version" manylinux2014_aarch64 manylinux_2_17_aarch64 manylinux_2_27_aarch64 manylinux_2_28_aarch64
  check macos-arm64 "$version" macosx_11_0_arm64 macosx_12_0_arm64 macosx_14_0_arm64
  check macos-x86_64 "$version" macosx_10_9_x86_64 macosx_10_13_x86_64 macosx_11_0_x86_64 macosx_14_0_x86_64
done
