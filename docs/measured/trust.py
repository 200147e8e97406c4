"""What the benchmarks of trust found: hostile files, kills, thousands of pages, unnoticed changes."""

from __future__ import annotations

from measured.markdown import Tree, row

_FUZZ = ("crashes", "hangs", "large", "foreign")
_KILLS = ("kills", "not_the_same", "done_again", "left_over", "processes_left")


def trust_text(results: Tree) -> str:
    """The sums over readers, a row for every killed command, and what the limits cost."""
    readers = results["readers"].values()
    bad = {name: sum(one[name] for one in readers) for name in _FUZZ}
    lines = [
        f"{results['fuzz_cases']:,} mutated files over {len(readers)} readers: {bad['crashes']} crashes, "
        f"{bad['hangs']} hangs, {bad['large']} above 1 GB, {bad['foreign']} foreign exceptions. "
        f"{sum(one['contained'] for one in readers)} made a decoder hang or crash, and cost one error each: "
        "the decoding process was ended at its limits and replaced.",
        "",
        *_kills_table(results["commands"]),
        *(_pages_sentence(one) for one in results["pages"]),
        *(_words_sentence(one) for one in results["words"]),
        *(
            f"- Decoding in a process of its own costs {one['worker_share']:.1%} of a page's time; the load "
            f"of the machine before was {one['load_before']}."
            for one in results["worker"]
        ),
    ]
    if results["missing"]:
        listed = ", ".join(results["missing"])
        lines += ["", f"*Being measured again:* {listed} (`python benchmarks/trust.py`)."]
    return "\n".join(lines)


def _kills_table(commands: Tree) -> list[str]:
    if not commands:
        return []
    heads = ["kills", "other result", "done twice", "files left", "processes left"]
    rows = (row(name, [f"{one[key]:,}" for key in _KILLS]) for name, one in commands.items())
    return [row("killed command", heads), "|---" * (len(_KILLS) + 1) + "|", *rows, ""]


def _pages_sentence(one: Tree) -> str:
    what = "pages in a PDF" if one["what"] == "pdf" else "mixed files, one in fifty hostile"
    same = "the same" if one["same_pages"] else "other"
    memory = f"{one['memory_mb_second_quarter']} MB early and {one['memory_mb_last_quarter']} MB late"
    found = ", ".join(f"{count:,} {status}" for status, count in sorted(one["statuses"].items()))
    return (
        f"- {one['pages']:,} {what}: {one['records']:,} records ({found}), {same} pages after three kills; "
        f"{memory}."
    )


def _words_sentence(one: Tree) -> str:
    given = ", their boxes given in ALTO" if one["words_given"] else ""
    compared = f"{one['words_compared']:,} compared" if one["words_compared"] else "refused in a sentence"
    return (
        f"- {one['words_drawn']:,} words on a page{given}, {compared}: {one['seconds']} s "
        f"({one['processor_seconds']} s of processor time; the load of the machine before was "
        f"{one['load_before']}), {one['memory_mb']} MB, exit code {one['exit']}."
    )


def mutation_text(results: Tree) -> str:
    """A row for every group of modules."""
    heads = ["changes", "noticed", "survived", "equivalent", "not tried", "score"]
    lines = [row("modules", heads), "|---" * (len(heads) + 1) + "|"]
    for name, one in results["groups"].items():
        counts = [f"{one.get(head, 0):,}" for head in heads[:-1]]
        score = f"{one['score']:.1%}" if one.get("noticed") else "–"
        lines.append(row(name, [*counts, score]))
    return "\n".join(lines)
