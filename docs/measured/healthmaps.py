"""Tables of health maps, from results/gearbox.json and results/simulated-maps.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SENSORS = ("a1", "a2", "a3", "a4")
ALL_ROWS = "10 turns"
"""Maps whose table shows every detector and unit; shorter ones show what is chosen and its rivals."""
RIVALS = ("orders, mean level", "orders, row levels, unit domain", "supervised")
RENAMED = {"orders, told the fault": "orders, supervised"}
"""Rows of results that were measured before they had their present name."""


def gearbox_text(results: Mapping[str, Any]) -> str:
    """Mean AUROC over loads of every sensor, then sensor a4 load by load for the choice made without it."""
    lines = [
        "| mean AUROC over ten loads | turns | a1 | a2 | a3 | a4 (95 % interval) |",
        "|---|---|---|---|---|---|",
    ]
    chosen = results["chosen_on_a1_to_a3"]
    for protocol, by_turns in results["auroc"].items():
        for turns, detectors in by_turns.items():
            for stored, figures in detectors.items():
                name = RENAMED.get(stored, stored)
                if turns != ALL_ROWS and not any(part in name for part in (*RIVALS, chosen)):
                    continue
                cells = [f"{figures[sensor]['mean']:.3f}" for sensor in SENSORS]
                low, high = figures["a4"]["interval"]
                row = [
                    f"{protocol}: {name}",
                    turns.split()[0],
                    *cells[:3],
                    f"{cells[3]} ({low:.3f}–{high:.3f})",
                ]
                lines.append(f"| {' | '.join(row)} |")
    loads = list(results["auroc"]["same load"]["1 turns"][chosen]["a4"]["by_load"])
    names = [load.removeprefix("30hz") + " %" for load in loads]
    lines += ["", f"Sensor a4 with {chosen}, by load:", ""]
    lines += [f"| | turns | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    for protocol, by_turns in results["auroc"].items():
        for turns, detectors in by_turns.items():
            cells = [f"{detectors[chosen]['a4']['by_load'][load]:.2f}" for load in loads]
            lines.append(f"| {protocol} | {turns.split()[0]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def attempts_text(results: Mapping[str, Any]) -> str:
    """Mean AUROC over loads held out of every kind of feature tried on sensor a4, the others beside."""
    lines = ["| load held out | turns | a1 | a2 | a3 | a4 (95 % interval) |", "|---|---|---|---|---|---|"]
    for name, by_turns in results["auroc"].items():
        for turns, figures in by_turns.items():
            cells = " | ".join(f"{figures[sensor]['mean']:.3f}" for sensor in SENSORS)
            low, high = figures["a4"]["interval"]
            lines.append(f"| {name} | {turns.split()[0]} | {cells} ({low:.3f}–{high:.3f}) |")
    return "\n".join(lines)


def statistics_text(results: Mapping[str, Any]) -> str:
    """Published beside simulated statistics."""
    lines = ["| | published | simulated |", "|---|---|---|"]
    domains, published = results["domains"], results["published"]
    names = ("mean", "std", "p95", "max")
    for name in ("C cold", "C warm"):
        wanted = ", ".join(f"{published[name][key]:.3f}" for key in names)
        found = ", ".join(f"{domains[name]['normal'][key]:.3f}" for key in names)
        lines.append(
            f"| {name}, a normal map: mean, standard deviation, 95 %, largest | {wanted} | {found} |"
        )
        largest = published[name]["fault_max"], domains[name]["fault_max"]
        lines.append(f"| {name}, largest pixel of a faulty map | {largest[0]:.3f} | {largest[1]:.3f} |")
    for domain, (mean, std) in published["training"].items():
        found = results["training"][domain]
        numbers = f"{found['mean']:.3f}, {found['std']:.3f}"
        lines.append(
            f"| {domain}, all training pixels: mean, standard deviation | {mean:.3f}, {std:.3f} | {numbers} |"
        )
    for name, detector in (
        ("C cold", "largest pixel"),
        ("C warm", "largest pixel"),
        ("C cold", "mean level"),
    ):
        wanted, found = published[f"{name}, AUROC"][detector], domains[name]["gain shift"][detector]
        lines.append(f"| {name}, AUROC of the {detector} | {wanted:.2f} | {found:.3f} |")
    return "\n".join(lines)


def physics_text(results: Mapping[str, Any]) -> str:
    """What needs no network, with and without the gain shift, and which tooth it names."""
    detectors = ("largest pixel", "mean level", "row/column")
    head = [f"{name}, {shift}" for shift in ("as published", "no gain shift") for name in detectors]
    lines = [
        f"| AUROC | {' | '.join(head)} | tooth right / wrong / none |",
        f"|---|{'---|' * (len(head) + 1)}",
    ]
    for name, found in results["domains"].items():
        cells = [f"{found[shift][one]:.3f}" for shift in ("gain shift", "no gain shift") for one in detectors]
        tooth = " / ".join(f"{found['tooth'][key]:.2f}" for key in ("right", "wrong", "none"))
        lines.append(f"| {name} | {' | '.join(cells)} | {tooth} |")
    return "\n".join(lines)
