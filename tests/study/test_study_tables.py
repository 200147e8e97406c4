"""Tables and tests of significance say what scipy says, and the source's tables are what they claim to be."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from handshift.cli.study import app
from handshift.core.errors import StudyError
from handshift.study.measurements import Measurement
from handshift.study.results import Results, load_results
from handshift.study.significance import compare, holm, smallest_wilcoxon_p
from handshift.study.study_record import StudyRecord
from handshift.study.tables import markdown_table, metric_table

SOURCE = Path(__file__).parents[2] / "studies" / "source-hdmap.csv"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Results:
    results = tmp_path_factory.mktemp("results")
    options = ["import", str(SOURCE), "--baseline", "baseline", "--results", str(results)]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.stderr
    return load_results(results / "source-hdmap")


def test_the_sources_domain_c_gain_of_gem_is_not_and_of_top_5_is_significant(source: Results) -> None:
    found = {entry.variant: entry for entry in compare(source, "tpr_at_1", "C")}
    assert found["gem"].t_p == pytest.approx(0.055, abs=5e-4)
    assert found["top-5"].t_p == pytest.approx(0.0009, abs=5e-5)
    assert found["gem"].delta == pytest.approx(-1.58)
    assert found["top-5"].delta == pytest.approx(2.774)
    assert found["top-5"].t_p_holm == pytest.approx(2 * found["top-5"].t_p)
    assert found["top-2"].seeds == 1
    assert math.isnan(found["top-2"].t_p), "one seed proves nothing"


@pytest.mark.parametrize(
    ("metric", "variant", "printed"),
    [
        ("auroc", "baseline", (98.74, 99.07, 96.95, 98.04)),
        ("auroc", "gem", (98.77, 99.05, 96.89, 98.06)),
        ("auroc", "top-5", (99.10, 99.37, 97.63, 98.32)),
        ("tpr_at_1", "baseline", (94.12, 94.62, 76.38, 93.36)),
        ("tpr_at_1", "gem", (94.00, 94.54, 74.80, 93.32)),
        ("tpr_at_1", "top-5", (94.62, 94.90, 79.14, 93.48)),
    ],
)
def test_the_sources_means_follow_from_its_seeds(
    source: Results, metric: str, variant: str, printed: tuple[float, ...]
) -> None:
    row = metric_table(source, metric).cells[variant]
    assert [row[domain].mean for domain in "ABCD"] == pytest.approx(printed, abs=0.021)


def test_a_lucky_single_seed_is_not_the_best(source: Results) -> None:
    cells = metric_table(source, "tpr_at_1").cells
    assert cells["top-2"]["C"].mean > cells["top-5"]["C"].mean
    assert cells["top-5"]["C"].best
    assert not cells["top-2"]["C"].best
    text = markdown_table(metric_table(source, "tpr_at_1"), "baseline")
    assert "**79.15 ± 0.33** (+2.77\\*\\*)" in text
    assert "80.00 (1 seed) (+4.10)" in text


def made(values: dict[str, list[float]], lower: bool = False) -> Results:
    record = StudyRecord(
        name="made",
        variants=list(values),
        seeds=list(range(len(next(iter(values.values()))))),
        metrics=["figure"],
        baseline=next(iter(values)),
        lower_is_better=["figure"] if lower else [],
    )
    rows = [Measurement(v, s, "all", "figure", x) for v, xs in values.items() for s, x in enumerate(xs)]
    return Results(record, Path("nowhere"), rows)


def test_comparisons_are_scipys() -> None:
    random = np.random.default_rng(0)
    base, one, two = random.normal(np.array([[0.0], [0.5], [2.0]]), size=(3, 8))
    found = compare(made({"base": list(base), "one": list(one), "two": list(two)}), "figure", "all")
    for entry, values in zip(found, (one, two), strict=True):
        assert entry.t_p == pytest.approx(stats.ttest_rel(values, base).pvalue)
        assert entry.wilcoxon_p == pytest.approx(stats.wilcoxon(values - base).pvalue)
        interval = stats.ttest_rel(values, base).confidence_interval()
        assert (entry.low, entry.high) == pytest.approx((interval.low, interval.high))
        assert entry.effect == pytest.approx((values - base).mean() / (values - base).std(ddof=1))
    assert [e.t_p_holm for e in found] == pytest.approx(holm([e.t_p for e in found]))


def test_differences_that_never_vary_have_no_test() -> None:
    (entry,) = compare(made({"base": [0.1, 0.2, 0.3], "same": [0.1, 0.2, 0.3]}), "figure", "all")
    assert entry.delta == 0.0
    assert math.isnan(entry.t_p)
    assert math.isnan(entry.wilcoxon_p)
    (entry,) = compare(made({"base": [0.1, 0.2, 0.3], "more": [0.2, 0.3, 0.4]}), "figure", "all")
    assert math.isnan(entry.t_p), "rounding noise must not become significance"


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.9, math.nan, 0.6]), [1.0, math.nan, 1.0])
    assert holm([]).size == 0


def test_five_seeds_cannot_convince_wilcoxon() -> None:
    assert smallest_wilcoxon_p(5) == 0.0625 == stats.wilcoxon([1, 2, 3, 4, 5]).pvalue


def test_the_best_is_the_lowest_where_lower_is_better() -> None:
    cells = metric_table(made({"base": [3.0, 3.1], "low": [1.0, 1.1]}, lower=True), "figure").cells
    assert cells["low"]["all"].best
    assert not cells["base"]["all"].best


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("variant,seed,group,metric\n", "first line must be variant,seed,group,metric,value"),
        ("variant,seed,group,metric,value\n", "table is empty"),
        ("variant,seed,group,metric,value\nbase,one,A,auroc,1\n", "line 2: invalid literal"),
        ("variant,seed,group,metric,value\nbase,1,A,auroc,nan\n", "line 2: the value is nan"),
        (
            "variant,seed,group,metric,value\nbase,1,A,auroc,1\nbase,1,A,auroc,2\n",
            "base, seed 1, A, auroc is given twice",
        ),
        ("variant,seed,group,metric,value\nother,1,A,auroc,1\n", "'base' is not in"),
    ],
)
def test_a_bad_table_is_refused_by_line(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(text)
    done = CliRunner().invoke(app, ["import", str(file), "--baseline", "base", "--results", str(tmp_path)])
    assert isinstance(done.exception, StudyError)
    assert words in str(done.exception)
    assert not (tmp_path / "table" / "provenance.json").exists()


def test_a_folder_without_a_study_says_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"provenance\.json is missing"):
        load_results(tmp_path)
