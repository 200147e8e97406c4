"""What is installed: one version, a light import, all its data."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import handshift

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_written_in_one_place_and_said_everywhere() -> None:
    assert "version" not in PROJECT["project"]
    assert importlib.metadata.version("handshift") == handshift.__version__
    said = subprocess.run(
        [Path(sys.executable).with_name("handshift"), "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == f"handshift {handshift.__version__}"
    assert f"## [{handshift.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_importing_handshift_and_examining_loads_nothing_of_the_extras() -> None:
    heavy = ["torch", "pandas", "matplotlib", "lightning_fabric", "sklearn", "yaml"]
    script = (
        f"import sys, handshift, handshift.cli; light = 'numpy' not in sys.modules\n"
        f"from handshift.demo import TWO_HANDS\n"
        f"handshift.examine(TWO_HANDS)\n"
        f"print(light, [name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True []"


def test_maps_are_read_built_simulated_and_reported_without_torch() -> None:
    script = (
        "import sys, handshift.healthmap.dataset, handshift.healthmap.report\n"
        "import handshift.healthmap.vibration.build_dataset, handshift.healthmap.simulate.simulate_dataset\n"
        "import handshift.healthmap.simulate.simulate_signal, handshift.cli.maps.build\n"
        "import handshift.cli.maps.simulate\n"
        "print([name for name in ('torch', 'pandas', 'matplotlib', 'transformers') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_core_needs_no_torch() -> None:
    assert not any(need.startswith(("torch", "lightning")) for need in PROJECT["project"]["dependencies"])


def test_every_pin_is_one_version_and_names_no_place() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert "torch==2.13.0" in pins
    assert all(pin.count("==") == 1 and "/" not in pin and "@" not in pin for pin in pins)


def test_the_package_holds_what_it_reads_at_run_time() -> None:
    package = Path(handshift.__file__).parent
    for name in (
        "py.typed",
        "demo/one-hand.png",
        "demo/two-hands.png",
        "report/templates/page.html",
        "healthmap/report/templates/maps.html",
        "healthmap/simulate/published.yaml",
        "models/words-3/card.json",
        "models/words-3/words.onnx",
    ):
        assert (package / name).is_file(), name
