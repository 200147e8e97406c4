"""The table that `benchmarks/trust.py` prints."""

from __future__ import annotations

from typing import Any

FUZZ = ("cases", "refused", "contained", "crashes", "hangs", "large", "foreign")
KILLS = ("kills", "not_the_same", "done_again", "left_over", "processes_left")


def print_table(figures: dict[str, Any]) -> None:
    """One row for every reader and command; in a sound build all but the first column or two are 0."""
    heads = ("cases", "refused", "contained", "crashes", "hangs", "> 1 GB", "foreign")
    print(f"\n{'reader':20}" + "".join(f"{head:>10}" for head in heads))
    for name, one in figures["readers"].items():
        print(f"{name:20}" + "".join(f"{one[key]:10,}" for key in FUZZ))
    total = {key: sum(one[key] for one in figures["readers"].values()) for key in FUZZ}
    print(f"{'all readers':20}" + "".join(f"{total[key]:10,}" for key in FUZZ))
    print(f"\n{'command':20}" + "".join(f"{name.replace('_', ' '):>16}" for name in KILLS))
    for name, one in figures["commands"].items():
        print(f"{name:20}" + "".join(f"{one[key]:16,}" for key in KILLS))
    counted = ("pages", "records", "missing", "resumed same", "MB early, late")
    print(f"\n{'input':20}" + "".join(f"{head:>16}" for head in counted))
    for one in figures["pages"]:
        memory = f"{one['memory_mb_second_quarter']}, {one['memory_mb_last_quarter']}"
        same = "yes" if one["same_pages"] else "NO"
        counts = "".join(f"{one[key]:16,}" for key in ("pages", "records", "missing"))
        print(f"{one['what']:20}{counts}{same:>16}{memory:>16}")
    for one in figures["words"]:
        print(
            f"{one['words_drawn']:,} words, {one['words_compared']:,} compared: exit "
            f"{one['exit']}, {one['seconds']} s, {one['memory_mb']} MB; "
            f"{one['said'][0] if one['said'] else ''}"
        )
    for one in figures["worker"]:
        print(f"worker: {one['worker_share']:.1%} of {one['seconds_a_page']['worker']:.3f} s a page")
