"""What is loaded before a verdict is printed."""

from __future__ import annotations

import subprocess
import sys

from handshift.demo import ONE_HAND

NO_TORCH = "assert 'torch' not in sys.modules, 'torch was loaded'"


def python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)


def test_importing_handshift_loads_next_to_nothing():
    done = python(f"import sys, handshift; {NO_TORCH}; assert 'numpy' not in sys.modules")
    assert done.returncode == 0, done.stderr


def test_a_page_is_examined_without_torch():
    done = python(f"import sys, handshift; print(handshift.examine({str(ONE_HAND)!r})); {NO_TORCH}")
    assert done.returncode == 0, done.stderr
    assert "population:" in done.stdout


def test_the_command_examines_without_torch(tmp_path):
    program = (
        "import sys; from handshift.cli import main\n"
        f"sys.argv = ['handshift', 'examine', {str(ONE_HAND)!r}, '--out', {str(tmp_path / 'out')!r}]\n"
        f"try: main()\nfinally: {NO_TORCH}"
    )
    done = python(program)
    assert done.returncode == 0, done.stderr


def test_help_and_version_wait_for_no_library():
    for flag in ("--version", "--help"):
        done = python(
            f"import sys; from handshift.cli import main\nsys.argv = ['handshift', {flag!r}]\n"
            "try: main()\nfinally: assert not {'numpy', 'cv2', 'jinja2'} & set(sys.modules)"
        )
        assert done.returncode == 0, done.stderr
