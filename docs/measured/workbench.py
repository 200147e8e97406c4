"""How quickly the workbench answers, from results/workbench.json."""

from __future__ import annotations

from measured.markdown import Tree
from measured.sources import command_of, is_quiet, pending


def workbench_text(results: Tree) -> str:
    """First result, re-scoring, and the API during a long job."""
    if not is_quiet(results):
        return pending(command_of("workbench"))
    first, again, pdf = results["first_result_s"], results["rescoring_s"], results["pdf"]
    return (
        f"After the demo page is dropped its findings are on the screen in {first['median']:.1f} s "
        f"({first['first']:.1f} s just after the server's start); a correction is scored in "
        f"{again['median']:.1f} s. During a PDF of {pdf['pages']} pages ({pdf['seconds']:.0f} s) the API "
        f"answers in {pdf['api_median_ms']:.0f} ms (median; 95 % within {pdf['api_95th_ms']:.0f} ms), and "
        f"server and computation together take {pdf['memory_mb_most']:.0f} MB at most, "
        f"{pdf['memory_mb_after_a_tenth']:.0f} MB after a tenth of the pages. "
        "Command: `python benchmarks/workbench.py`."
    )
