"""Tables of tiles, of the peer, of watched machines and of costs, from results/*.json."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from measured.markdown import Tree, row
from measured.sources import is_quiet

HALVES = {"report": "reported half", "choose": "half to choose by"}
FALSE_ALARMS = ("before_the_fault", "of_300_healthy_maps", "stated_for_300_maps")
DETECTORS = {"patchcore": "PatchCore", "dinomaly": "Dinomaly"}


def tiles_text(by_tile: Tree, random: Tree) -> str:
    """Both detectors by picture and by pixel, divided by tile and at random."""
    kinds = list(by_tile["report"]["patchcore"]["image_auroc_by_defect"])
    head = ["", "image AUROC (95 % over tiles)", "TPR at FPR ≤ 5 %", "pixel AUROC", "AUPRO, FPR ≤ 30 %"]
    lines = [_line([*head, *kinds]), "|---" * (len(head) + len(kinds)) + "|"]
    for split, tiles in (("by tile", by_tile), ("at random", random)):
        for half, part in HALVES.items():
            for name, title in DETECTORS.items():
                found = tiles[half][name]
                low, high = found["image_auroc_95"]
                cells = [f"{found['image_auroc']:.3f} ({low:.3f}–{high:.3f})"]
                cells += [f"{found[key]:.3f}" for key in ("tpr_at_fpr_5", "pixel_auroc", "aupro_30")]
                cells += [f"{found['image_auroc_by_defect'][kind]:.3f}" for kind in kinds]
                lines.append(_line([f"{split}: {title}, {part}", *cells]))
    nothing = ["0.500", "0.050", "0.500", "0.150", *(["0.500"] * len(kinds))]
    return "\n".join([*lines, _line(["*trivial baseline*", *nothing])])


def peer_text(results: Tree) -> str:
    """Every method on one data set: figures, seconds of the processor, memory."""
    head = ["", "AUROC", "TPR at FPR ≤ 1 %", "≤ 5 %", "seconds to train", "seconds a map", "memory, MB"]
    lines = [_line(head), "|---" * len(head) + "|"]
    for piece, found in results["pieces"].items():
        cells = [f"{found[key]:.3f}" for key in ("auroc", "tpr_at_1", "tpr_at_5")]
        cells += [
            f"{found['seconds_to_train']['processor']:.0f}",
            f"{found['seconds_a_map']['processor']:.3f}",
        ]
        lines.append(_line([piece, *cells, f"{found['peak_memory_mb']:.0f}"]))
    size = f"{results['steps']} steps, decoders of {results['depth']} blocks; seconds are of the processor."
    return "\n".join([*lines, "", size])


def features_text(results: Tree) -> str:
    """Cosines of random patches, and PatchCore by what is done to the features."""
    treatments = [
        name for name, found in next(iter(results["features"].values())).items() if isinstance(found, dict)
    ]
    head = ["", "mean cosine of two patches (early, late blocks)", "centred"]
    head += [f"{figure}, features {name}" for name in treatments for figure in ("AUROC", "TPR at FPR ≤ 1 %")]
    lines = [_line(head), "|---" * len(head) + "|"]
    for name, found in results["features"].items():
        cells = [
            ", ".join(f"{one:.3f}" for one in found[key]) for key in ("mean_cosine", "mean_cosine_centred")
        ]
        cells += [f"{found[one][key]:.3f}" for one in treatments for key in ("auroc", "tpr_at_1")]
        lines.append(_line([name, *cells]))
    return "\n".join(lines)


def watch_text(results: Tree) -> str:
    """Runs to failure by detector and condition, kills, and the real gearbox."""
    pieces = results["pieces"]
    head = [
        "simulated, five gearboxes", "maps from the fault to the alarm", "fault at the alarm", "change point",
        "false alarms in 5 × 150 maps before it", "in 5 × 300 healthy maps", "stated for these",
        "worn tooth named",
    ]  # fmt: skip
    lines = [_line(head), "|---" * len(head) + "|"]
    groups: dict[str, list[Any]] = {}
    for name, found in pieces.items():
        if name.startswith("simulated"):
            groups.setdefault(" ".join(name.split()[1:3]), []).append(found)
    for name, runs in groups.items():
        cells = [
            _range(run["alarm_after_maps"] for run in runs),
            _range(run["fault_size_at_alarm"] for run in runs),
            _range(run["change_point_after_maps"] for run in runs),
            *(f"{sum(run[f'false_alarms_{key}'] for run in runs):.3g}" for key in FALSE_ALARMS),
            _range(run["worn_tooth_named"] for run in runs),
        ]
        lines.append(_line([name, *cells]))
    lines += ["", "Median and range; sizes are in units of the published fault.", ""]
    kills = pieces["kills"]
    equal = "is the same" if kills["equal"] else "is not the same"
    lines += [f"Killed {kills['kills']} times in the middle, the log {equal} as without kills.", ""]
    loads = {name: found for name, found in pieces.items() if name.startswith("gearbox")}
    return "\n".join([*lines, *(_gearbox(name.split()[1], found) for name, found in loads.items())])


def cost_text(costs: Tree) -> str:
    """Time by the processor and, of a machine without other work, by the clock."""
    wanted = {
        "seconds_of_1000_steps": "seconds for 1,000 steps at study size, features kept",
        "seconds_a_step": "seconds a step, features kept",
        "seconds_a_step_encoding_again": "seconds a step, encoding again",
        "times_faster": "times faster from kept features",
        "maps_scored_a_second": "maps scored a second",
    }
    clocks = ("clock", "processor") if is_quiet(costs) else ("processor",)
    encoders = [name for name, found in costs.items() if isinstance(found, dict) and "times_faster" in found]
    head = ["", *(f"{name}, by the {clock}" for name in encoders for clock in clocks)]
    lines = [_line(head), "|---" * len(head) + "|"]
    for key, title in wanted.items():
        cells = [f"{costs[name][key][clock]:.4g}" for name in encoders for clock in clocks]
        lines.append(_line([title, *cells]))
    load = costs["provenance"]["load_at_start"]
    way = costs["whole_way"]
    took = ", ".join(f"{seconds:.0f} s by the {clock}" for clock, seconds in way["seconds"].items())
    whole = f"`maps simulate`, `train` ({way['steps']:,} steps) and `score`, {way['maps']} maps: {took}."
    machine = f"{costs['threads']} threads, load of the machine {load:.1f} at the start."
    if not is_quiet(costs):
        machine += " Other work ran beside, so that the clock is an upper bound and left out of the table."
    return "\n".join([*lines, "", whole, "", machine])


def _gearbox(sensors: str, loads: Tree) -> str:
    runs = list(loads.values())
    alarms = [
        run["alarm_after_broken_pieces"] for run in runs if run["alarm_after_broken_pieces"] is not None
    ]
    healthy = sum(run["healthy_pieces"] for run in runs)
    flagged = sum(run["healthy_pieces_flagged"] for run in runs)
    false = sum(run["false_alarms"] for run in runs)
    title = "all four sensors joined" if sensors == "all" else f"sensor {sensors} alone"
    found = f"alarm at {len(alarms)} of {len(runs)} loads"
    if alarms:
        found += f", after {_range(alarms)} pieces of the broken assembly"
    normal = f"{flagged} of {healthy} healthy pieces flagged, {false} false alarms"
    return f"- Real gearbox, {title}: {found}; {normal}."


def _range(values: Iterable[float | None]) -> str:
    """Median and range; a run without an alarm is said to be missing."""
    given = list(values)
    known = [value for value in given if value is not None]
    missing = f", {len(given) - len(known)} never" if len(known) < len(given) else ""
    if not known:
        return "never"
    middle, low, high = median(known), min(known), max(known)
    return f"{middle:g}{missing}" if low == high else f"{middle:g} ({low:g}–{high:g}){missing}"


def _line(cells: Sequence[str]) -> str:
    return row(cells[0], cells[1:])
