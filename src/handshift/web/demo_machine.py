"""The guided machine: simulated recordings of a planetary stage whose planet tooth breaks slowly."""

from __future__ import annotations

from collections.abc import Iterator

NORMAL, WATCHED, ONSET = 12, 16, 7
"""Recordings to learn from, recordings to watch, and the first of those with a fault."""
NORMAL_SECONDS, WATCHED_SECONDS = 24.0, 9.0
"""At four turns of the carrier a second one map takes 7.75 s: three maps, and one."""
TOOTH, LARGEST = 12, 2.4
GEAR = {"teeth": 31, "ring": 95, "planets": 3, "speed": 4.0}


def demo_recordings(seed: int = 0) -> Iterator[tuple[str, bytes, bool]]:
    """Name, content and whether it is normal, one recording after the other."""
    from handshift.healthmap.simulate.faults import FaultKind
    from handshift.healthmap.simulate.simulate_signal import SignalSimulation, simulate_signal
    from handshift.healthmap.vibration.recording import recording_bytes

    for number in range(NORMAL + WATCHED):
        normal, place = number < NORMAL, number - NORMAL
        grown = max(0, place - ONSET + 1) / (WATCHED - ONSET)
        settings = SignalSimulation(
            rate=6400,
            seconds=NORMAL_SECONDS if normal else WATCHED_SECONDS,
            seed=1000 * seed + number,
            fault=FaultKind.PLANET if grown > 0 else None,
            tooth=TOOTH,
            size=LARGEST * grown,
            resonance=1800,
        )
        made = simulate_signal(settings)
        name = f"normal-{number + 1:02d}.npz" if normal else f"watched-{place + 1:02d}.npz"
        yield name, recording_bytes(made.signal, made.rate, made.tacho), normal
