"""Archives: engines, search and stores, from results/engine.json, find, nearest-words and restarts."""

from __future__ import annotations

from measured.markdown import Tree, row
from measured.sources import is_quiet

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
    """Throughput of both engines, equal verdicts, and memory of long runs."""
    parts = (_throughput(results), _verdicts(results), _memory(results))
    return "\n\n".join([*parts, f"Command: `{results['command']}`."])


def _throughput(results: Tree) -> str:
    full, runs = results["throughput"], results["throughput"]["runs"]
    names = {"local": f"{results['workers']} local processes", "ray": "Ray, two nodes"}
    costs = [run["cpu_seconds"] / run["counted"] for run in runs["single"]]
    cost = full["single"]["cpu_seconds_a_page"]
    rates = {name: [run["pages_a_second_and_core"] for run in runs[name]] for name in names}
    of_cost = [rate * one for rate, one in zip(rates["local"], costs, strict=True)]
    of_local = [ray / local for ray, local in zip(rates["ray"], rates["local"], strict=True)]
    local, ray = (full[name]["pages_a_second_and_core"] for name in names)
    lines = [
        f"{full['pages']} drawn sheets at {full['dpi']:.0f} dpi, in {full['rounds']} rounds by each in turn:",
        "",
        row("", ["pages a second and core", "processor seconds a page"]),
        row("---", ["---", "---"]),
        row("one page after the other", [f"{1 / cost:.2f}", f"{cost:.2f}"]),
        *(
            row(
                label,
                [f"{full[name]['pages_a_second_and_core']:.2f}", f"{full[name]['cpu_seconds_a_page']:.2f}"],
            )
            for name, label in names.items()
        ),
        "",
        f"Local processes do {local * cost:.2f} of what the cost of single pages allows "
        f"({_spread_of(of_cost)}), Ray {ray / local:.2f} of local processes ({_spread_of(of_local)}). "
        f"{_others(runs)}",
    ]
    return "\n".join(lines)


def _spread_of(rounds: list[float]) -> str:
    return f"rounds {min(rounds):.2f} to {max(rounds):.2f}"


def _others(runs: Tree) -> str:
    cores = [run["cores_taken_by_others"] for name in ("local", "ray") for run in runs[name]]
    return f"Meanwhile other processes took {min(cores):.2f} to {max(cores):.2f} of a core."


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
    names = {
        "local": f"caller and {results['workers']} local processes",
        "ray": "caller and a Ray cluster of two nodes",
    }
    lines = [
        f"Resident memory over drawn slips of {memory['words_a_page']} words "
        f"({memory['different_pages']} different ones in turn):",
        "",
        row("", ["slips", "after a tenth", "after all", "at most"]),
        row("---", ["---"] * 4),
    ]
    for name, label in names.items():
        tenths = memory[name]["mb_at_each_tenth"]
        sizes = [f"{size:,.0f} MB" for size in (tenths[0], tenths[-1], max(tenths))]
        lines.append(row(label, [f"{memory[name]['pages']:,}", *sizes]))
    return "\n".join(lines)


def find_text(results: Tree) -> str:
    """Recall and precision of queries by test writers, in a real store and one with sampled pages."""
    asked = ", ".join(f"{count} {name}" for name, count in results["queries"].items())
    lines = [
        f"One scan of each test writer who has several as query ({asked}; model {results['model']['id']}), "
        f"in a store of {results['real_pages']:,} scans, all pages of these databases{_by_vectors(results)}, "
        f"and {results['drawn_pages']:,} drawn pages; then with {results['sampled_pages']:,} page vectors in "
        "addition that are *sampled* from a model of writers, sessions and pages fitted on train writers. "
        "Intervals over writers:",
        "",
        row("store", ["search", "recall at 10", "mean average precision", "first is right"]),
        row("---", ["---"] * 4),
    ]
    stores = {"end_to_end": "real and drawn", "with_sampled": "and *sampled*"}
    for key, name in stores.items():
        lines += _stages(results[key], f"{name}, {results[key]['pages']:,} pages")
    for key, name in stores.items():
        for database, part in results[key]["by_database"].items():
            lines += _stages({"reranked": part["reranked"]}, f"{name}, queries of {database}")
    store, shared = results["store"], results["clusters"]
    lines += [
        "",
        f"A scan takes {store['kilobytes_a_page']:.1f} KB of the store, thumbnail and index included "
        f"({store['pages']:,} scans). {_query_times(results)}",
        "",
        f"`clusters` grouped the {results['end_to_end']['pages']:,} pages in {shared['seconds']:.0f} s "
        f"(joins from log10 LR {shared['least_log10_lr']:+.2f} on): of the pairs of pages of test writers "
        f"that share a group, {shared['precision_of_pairs']:.3f} are by one writer, and "
        f"{shared['recall_of_pairs']:.3f} of the {shared['pairs_of_test_writers']:,} such "
        f"pairs share one. Command: `{results['command']}`.",
    ]
    return "\n".join(lines)


def collections_text(results: Tree) -> str:
    """Precision and recall of pairs in small collections, by the line at which groups are joined."""
    lines = list(results["rows"][0]["lines"])
    kept = f"{results['least']:g}"
    table = [
        "Pairs of pages that `clusters` puts together in collections of validation writers "
        f"({results['collections']} of each kind), by the least log10 LR of a join; precision / recall:",
        "",
        row(
            "writers",
            ["pages of each", "hands", *(f"**+{one}**" if one == kept else f"+{one}" for one in lines)],
        ),
        row("---", ["---"] * (2 + len(lines))),
    ]
    for one in results["rows"]:
        cells = [
            f"{one['lines'][line]['precision']:.3f} / {one['lines'][line]['recall']:.2f}" for line in lines
        ]
        table.append(
            row(f"{one['writers']}, {one['database']}", [str(one["pages"]), f"{one['hands']:.0f}", *cells])
        )
    return "\n".join([*table, "", f"Command: `{results['command']} --vectors VECTORS`."])


def nearest_text(results: Tree) -> str:
    """The inverted file beside faiss and Lance on the same words."""
    lines = [
        f"The ten nearest of {results['words']:,} word vectors (the {results['dimensions']} dimensions that "
        "the model compares, sampled from it), recall against brute force in the same run:",
        "",
        row("index", ["looked into", "recall at 10", "ms a query", "seconds to build"]),
        row("---", ["---"] * 4),
    ]
    groups = _indexes(results)
    for name, group in groups.items():
        for key, one in group.items():
            if key.startswith("probed_"):
                share = float(key.removeprefix("probed_"))
                looked = f"{share:.0%} of the lists" if share < 1 else f"{share:.0f} of 4,096 lists"
                cells = [looked, f"{one['recall_at_10']:.3f}", f"{one['ms']:.1f}"]
                lines.append(row(name, [*cells, f"{group['build_seconds']:.0f}"]))
    fewer = ", ".join(
        f"{one['recall_at_10']:.3f} of {one['words']:,} ({one['ms']:.1f} ms)"
        for one in results["inverted_file"].get("fewer", [])
    )
    lines += [
        "",
        f"Brute force took {results['brute_force_ms']:.1f} ms."
        + (f" Of fewer words ours finds {fewer}." if fewer else ""),
        "",
    ]
    lines += []
    if "fresh_process" in results["inverted_file"]:
        lines += [
            "One query of a fresh process, as a command asks it, at the first setting with a recall of .95:",
            "",
            row("index", ["ms to import and open", "ms of the query", "MB in memory", "MB to install"]),
            row("---", ["---"] * 4),
        ]
    for name, group in groups.items():
        if "fresh_process" in group:
            fresh = group["fresh_process"]
            cells = [
                f"{fresh['milliseconds_to_import_and_open']:.0f}",
                f"{fresh['milliseconds_of_the_first_query']:.0f}",
                f"{fresh['megabytes']:.0f}",
                f"{group.get('installed_megabytes', 0):.0f}",
            ]
            lines.append(row(name, cells))
    lines += ["", f"{_rows_text(results['rows'])}Command: `{results['command']}`{_busy(results)}."]
    return "\n".join(lines)


def _indexes(results: Tree) -> dict[str, Tree]:
    return {
        "ours, mapped from disk": results["inverted_file"],
        "faiss IVF4096": results.get("faiss", {}).get("ivf4096", {}),
        "Lance IVF_FLAT": results.get("lance", {}),
    }


def _rows_text(rows: Tree) -> str:
    if "lance" not in rows:
        return ""
    kept, other = rows["parquet"], rows["lance"]
    return (
        f"{rows['shown']} pages with thumbnails from anywhere in {rows['pages']:,}: {kept['ms']:.1f} ms and "
        f"{kept['kilobytes_a_page']:.1f} KB a page from the store's Parquet, {other['ms']:.1f} ms and "
        f"{other['kilobytes_a_page']:.1f} KB from Lance. "
    )


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


def _by_vectors(results: Tree) -> str:
    return (
        f" ({results['by_vectors']:,} of them by vectors of their words)" if results.get("by_vectors") else ""
    )


def _query_times(results: Tree) -> str:
    times = [
        f"{results[key]['reranked']['milliseconds']:.0f} ms among {results[key]['pages']:,} pages (the "
        f"slowest {results[key]['reranked']['slowest_milliseconds']:.0f} ms, brute force "
        f"{results[key]['brute_force']['milliseconds']:.0f} ms)"
        for key in ("end_to_end", "with_sampled")
    ]
    return (
        f"A query took {' and '.join(times)}, after {results['milliseconds_to_read_the_query']:.0f} ms to "
        f"read its page{_busy(results)}. "
    )


def _busy(results: Tree) -> str:
    load = results["provenance"]["load_at_start"]
    return "" if is_quiet(results) else f", on a machine with a load of {load}"


def _equal(same: bool) -> str:
    return "exactly the same" if same else "**other**"
