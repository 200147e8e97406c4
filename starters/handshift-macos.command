#!/bin/sh
# Double-click to open the handshift workbench. Untried: no Mac was at hand when this was written.
# The first start installs it into ~/Library/Application Support/handshift-app and needs the package registry.
set -eu
home="$HOME/Library/Application Support/handshift-app"
python="${PYTHON:-python3}"
fail() { echo "$1"; printf 'Press Enter to close. '; read -r _ || true; exit 1; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or later is needed: install it from python.org."
if [ ! -x "$home/bin/handshift" ]; then
    echo "Installing handshift into $home (once, a minute or two) …"
    "$python" -m venv "$home" || fail "A virtual environment could not be made."
    wheel=$(ls "$(dirname "$0")"/handshift-*.whl 2>/dev/null | tail -n 1 || true)
    "$home/bin/pip" install --quiet "${wheel:-handshift}[web,report]" ||
        { rm -rf "$home"; fail "The installation failed; check the network and try again."; }
fi
exec "$home/bin/handshift" serve
