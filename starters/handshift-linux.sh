#!/bin/sh
# Double-click (or run) to open the handshift workbench. The first start installs it into a folder of its own,
# ~/.local/share/handshift-app, and needs the package registry; later starts need no network.
set -eu
home="${XDG_DATA_HOME:-$HOME/.local/share}/handshift-app"
python="${PYTHON:-python3}"
fail() { echo "$1"; printf 'Press Enter to close. '; read -r _ || true; exit 1; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or later is needed: install python3 and python3-venv from your distribution."
if [ ! -x "$home/bin/handshift" ]; then
    echo "Installing handshift into $home (once, a minute or two) …"
    "$python" -m venv "$home" || fail "A virtual environment could not be made: install python3-venv."
    # A wheel beside this file is taken before the registry's.
    wheel=$(ls "$(dirname "$0")"/handshift-*.whl 2>/dev/null | tail -n 1 || true)
    "$home/bin/pip" install --quiet "${wheel:-handshift}[web,report]" ||
        { rm -rf "$home"; fail "The installation failed; check the network and try again."; }
fi
exec "$home/bin/handshift" serve
