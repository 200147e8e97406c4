"""Archives: engines, search and stores, from results/engine.json, find, nearest-words and restarts."""

from __future__ import annotations

from measured.markdown import Tree, row
from measured.sources import command_of, is_quiet, pending

STAGES = {
    "cosine": "cosine of pages, every page",
    "first_stage": "first stage",
    "reranked": "compared again",
    "brute_force": "brute force",
}


def restarts_text(results: Tree) -> str:
    """In how many rounds the store was that of an uninterrupted run."""
    return (
        "Killed with `kill -9` at a random moment and run again, `index` left the segments of an "
        f"uninterrupted run, byte by byte, in {results['equal']} of {results['kills']} rounds "
        f"({results['pages']} drawn pages, {results['segments']} segments). "
        "Command: `python benchmarks/restarts.py`."
    )


def engine_text(results: Tree) -> str:
    """Throughput of both engines, equal verdicts, and memory of a long run; what was measured of them."""
    parts = {"throughput": _throughput, "verdicts": _verdicts, "memory": _memory}
    lines = [text for name, part in parts.items() if name in results for text in (part(results), "")]
    missing = [name for name in parts if name not in results]
    if missing:
        lines += [f"{pending(command_of('engine'))} ({', '.join(missing)})", ""]
    return "\n".join([*lines, f"Command: `{results['command']}`."])


def _throughput(results: Tree) -> str:
    full = results["throughput"]
    lines = [
        f"{full['pages']} drawn sheets at {full['dpi']:.0f} dpi, {results['workers']} workers:",
        "",
        row("", ["pages a second and core", "processor seconds a page"]),
        row("---", ["---", "---"]),
        row("one page after the other", ["", f"{full['single']['cpu_seconds_a_page']:.2f}"]),
    ]
    for name, label in (("local", "local processes"), ("ray", "Ray, two nodes")):
        lines.append(row(label, [_rate(full[name]), f"{full[name]['cpu_seconds_a_page']:.2f}"]))
    return "\n".join(lines)


def _verdicts(results: Tree) -> str:
    same = results["verdicts"]
    return (
        f"Of {same['pages']} small drawn pages a Ray cluster of two nodes gave "
        f"{_equal(same['ray_equals_local'])} findings as local processes; with a worker killed after "
        f"{same['worker_killed_after']} pages and a node taken away after {same['node_lost_after']}, "
        f"{_equal(same['ray_losing_a_worker_and_a_node_equals_local'])} findings again."
    )


def _memory(results: Tree) -> str:
    memory = results["memory"]
    tenths = memory["mb_at_each_tenth"]
    text = (
        f"Caller and {results['workers']} workers took {tenths[0]:.0f} MB after {memory['pages'] // 10:,} "
        f"drawn slips of {memory['words_a_page']} words ({memory['different_pages']} different ones in turn) "
        f"and {tenths[-1]:.0f} MB after {memory['pages']:,}, {max(tenths):.0f} MB at most"
    )
    if "throughput" in results:
        full = results["throughput"]["local"]["mb_at_each_tenth"]
        text += f"; of the sheets above {full[0]:.0f} MB after a tenth of them and {full[-1]:.0f} MB at the end"
    return f"{text}."


def find_text(results: Tree) -> str:
    """Recall and precision of queries by test writers, in a real store and one with sampled pages."""
    asked = ", ".join(f"{count} {name}" for name, count in results["queries"].items())
    lines = [
        f"One scan of each test writer who has several as query ({asked}; model {results['model']['id']}). In "
        f"the store: {results['scanned_pages']:,} scans by all test writers and {results['drawn_pages']:,} "
        f"drawn pages, indexed as files, and {results['pages_by_words']:,} real pages by all other writers, "
        f"indexed by their words; then {results['sampled_pages']:,} page vectors in addition that are "
        "*sampled* from the model of writers, sessions and words fitted on train writers. Intervals over "
        "writers:",
        "",
        row("store", ["search", "recall at 10", "mean average precision", "first is right"]),
        row("---", ["---"] * 4),
    ]
    for key, name in (("end_to_end", "real and drawn"), ("with_sampled", "and *sampled*")):
        lines += _stages(results[key], f"{name}, {results[key]['pages']:,} pages")
    for key, name in (("end_to_end", "real and drawn"), ("with_sampled", "and *sampled*")):
        for database, part in results[key]["by_database"].items():
            lines += _stages({"reranked": part["reranked"]}, f"{name}, queries of {database}")
    store = results["store"]
    lines += [
        "",
        f"A page takes {store['kilobytes_a_page']:.1f} KB of the store, thumbnail and index included "
        f"({store['pages']} scans). {_query_times(results)}Command: `{results['command']}`.",
    ]
    return "\n".join(lines)


def nearest_text(results: Tree) -> str:
    """The inverted file beside faiss and Lance on the same words."""
    quiet = is_quiet(results)
    lines = [
        f"The ten nearest of {results['words']:,} word vectors ({results['dimensions']} dimensions, sampled "
        "from the model), recall against brute force in the same run:",
        "",
        row("index", ["looked into", "recall at 10", "ms a query", "seconds to build"]),
        row("---", ["---"] * 4),
    ]
    groups = {
        "ours, mapped from disk": results["inverted_file"],
        "faiss IVF4096, in memory": results.get("faiss", {}).get("ivf4096", {}),
        "Lance IVF_FLAT, on disk": results.get("lance", {}),
    }
    for name, group in groups.items():
        for key, one in group.items():
            if key.startswith("probed_"):
                share = float(key.removeprefix("probed_"))
                looked = f"{share:.0%} of the lists" if share < 1 else f"{share:.0f} of 4,096 lists"
                cells = [looked, f"{one['recall_at_10']:.3f}", _ms(one["ms"], quiet)]
                lines.append(row(name, [*cells, f"{group['build_seconds']:.0f}" if quiet else "–"]))
    rows = results["rows"]
    lines += ["", f"Brute force took {_ms(results['brute_force_ms'], quiet)} ms. "]
    if "lance" in rows:
        kept, other = rows["parquet"], rows["lance"]
        lines[-1] += (
            f"{rows['shown']} pages with thumbnails from anywhere in {rows['pages']:,}: "
            f"{_ms(kept['ms'], quiet)} ms and {kept['kilobytes_a_page']:.1f} KB a page from the store's "
            f"Parquet, {_ms(other['ms'], quiet)} ms and {other['kilobytes_a_page']:.1f} KB from Lance. "
        )
    lines[-1] += f"{_load(results)}Command: `{results['command']}`."
    return "\n".join(lines)


def _stages(part: Tree, label: str) -> list[str]:
    lines = []
    for stage, name in STAGES.items():
        if stage not in part:
            continue
        figure = part[stage]
        cells = [
            _spread(figure, "recall_at_10"),
            _spread(figure, "mean_average_precision"),
            f"{figure['first_is_right']:.3f}",
        ]
        lines.append(row(label, [name, *cells]))
    return lines


def _spread(figure: Tree, name: str) -> str:
    return "{:.3f} ({:.3f}–{:.3f})".format(figure[name], *figure[f"{name}_interval"])


def _query_times(results: Tree) -> str:
    times = [
        f"{results[key]['reranked']['milliseconds']:.0f} ms among {results[key]['pages']:,} pages (the slowest "
        f"{results[key]['reranked']['slowest_milliseconds']:.0f} ms, brute force "
        f"{results[key]['brute_force']['milliseconds']:.0f} ms)"
        for key in ("end_to_end", "with_sampled")
    ]
    return (
        f"A query took {' and '.join(times)}, after {results['milliseconds_to_read_the_query']:.0f} ms to read "
        f"its page{_busy(results)}. "
    )


def _busy(results: Tree) -> str:
    load = results["provenance"]["load_at_start"]
    return "" if is_quiet(results) else f", on a machine with a load of {load}"


def _rate(run: Tree) -> str:
    return f"{run['pages_a_second_and_core']:.2f}" if run["load_at_start"] <= 1.0 else "machine was busy"


def _equal(same: bool) -> str:
    return "exactly the same" if same else "**other**"


def _ms(value: float, quiet: bool) -> str:
    return f"{value:.1f}" if quiet else "–"


def _load(results: Tree) -> str:
    if is_quiet(results):
        return ""
    return f"(The machine had a load of {results['provenance']['load_at_start']}: times are left out.) "
