"""The document score agrees with the Gaussian model it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.partition.partition_ratio import detect
from handshift.detect.partition.priors import block_evidence, scattered_evidence
from handshift.detect.plda import Plda, fit_plda

DIMENSIONS = 6


@pytest.fixture
def model() -> Plda:
    levels = np.linspace(2.0, 0.3, DIMENSIONS)
    return Plda(np.zeros(DIMENSIONS), np.eye(DIMENSIONS), levels, 0.2 * levels)


def words(rng, model, sizes, writers, sessions):
    """Words of groups that share writers and sessions as given."""
    deviation = {name: rng.normal(0, np.sqrt(model.writer)) for name in set(writers)}
    day = {name: rng.normal(0, np.sqrt(model.session)) for name in set(sessions)}
    groups = zip(sizes, writers, sessions, strict=True)
    return np.vstack([deviation[w] + day[s] + rng.normal(size=(n, DIMENSIONS)) for n, w, s in groups])


def test_the_ratio_is_that_of_the_joint_densities_of_all_words(model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, DIMENSIONS))
    second = np.array([False, True, False, True, True])
    same_group = second[:, None] == second[None, :]
    log = {"apart": 0.0, "spliced": 0.0, "together": 0.0}
    for k in range(DIMENSIONS):
        writer, session = model.writer[k], model.session[k]
        cross = {"apart": 0.0, "spliced": writer, "together": writer + session}
        for name in log:
            covariance = np.where(same_group, writer + session, cross[name]) + np.eye(5)
            log[name] += float(multivariate_normal(np.zeros(5), covariance).logpdf(x[:, k]))
    bag = ProjectedBag(x, model)
    writers, sessions = bag.log_ratios(second.astype(float)[None] @ x, np.array([3]))
    assert writers[0] == pytest.approx(log["apart"] - log["together"], abs=1e-9)
    assert sessions[0] == pytest.approx(log["spliced"] - log["together"], abs=1e-9)


def test_the_prior_over_blocks_and_over_scattered_words_sums_to_one(model):
    flat = Plda(model.mean, model.projection, 1e-9 * model.writer, 1e-9 * model.session)
    bag = ProjectedBag(np.random.default_rng(0).normal(size=(9, DIMENSIONS)), flat)
    # Without any variance between writers every ratio is 1, so the evidence is the log of the prior's sum.
    assert block_evidence(bag).two_writers == pytest.approx(0.0, abs=1e-4)
    assert scattered_evidence(bag, np.eye(9, dtype=bool)[0]).two_sessions == pytest.approx(0.0, abs=1e-4)


def test_another_hand_raises_the_score_and_its_words_are_named(model):
    rng = np.random.default_rng(1)
    one = [detect(words(rng, model, [40], "a", "x"), model).score for _ in range(40)]
    found = [detect(words(rng, model, [15, 8, 17], "aba", "xyx"), model) for _ in range(40)]
    assert np.median([detection.score for detection in found]) > np.quantile(one, 0.95)
    inside = np.mean([detection.foreign[15:23].mean() for detection in found])
    outside = np.mean([np.delete(detection.foreign, slice(15, 23)).mean() for detection in found])
    assert inside > 0.8 and outside < 0.15


def test_scattered_foreign_words_are_found_too(model):
    rng = np.random.default_rng(5)
    far_apart = Plda(model.mean, model.projection, 6 * model.writer, model.session)
    x = words(rng, far_apart, [20, 6], "ab", "xy")
    order = rng.permutation(26)
    detection = detect(x[order], model)
    foreign = order >= 20
    assert detection.score > 5
    assert detection.foreign[foreign].min() > detection.foreign[~foreign].max()


def test_another_session_of_the_same_hand_is_no_other_hand(model):
    rng = np.random.default_rng(2)
    spliced = [detect(words(rng, model, [20, 20], "aa", "xy"), model).score for _ in range(60)]
    mixed = [detect(words(rng, model, [20, 20], "ab", "xy"), model).score for _ in range(60)]
    assert np.median(spliced) < 0 < np.median(mixed)


def test_reversing_the_reading_order_changes_nothing(model):
    x = words(np.random.default_rng(3), model, [20, 9], "ab", "xy")
    forward, backward = detect(x, model), detect(x[::-1], model)
    assert forward.score == pytest.approx(backward.score, abs=1e-9)
    assert forward.foreign == pytest.approx(backward.foreign[::-1], abs=1e-9)


@pytest.mark.parametrize("size", [4, 12, 13, 150])
def test_bags_of_any_size_have_finite_scores_and_probabilities(model, size):
    detection = detect(np.random.default_rng(size).normal(size=(size, DIMENSIONS)), model)
    assert np.isfinite(detection.score)
    assert detection.foreign.shape == (size,)
    assert (detection.foreign >= -1e-9).all() and (detection.foreign <= 1 + 1e-9).all()


def test_three_words_are_refused(model):
    with pytest.raises(ValueError, match="3 words given, at least 4"):
        detect(np.zeros((3, DIMENSIONS)), model)


def test_fitting_recovers_the_levels_it_was_drawn_from(model, tmp_path):
    rng = np.random.default_rng(4)
    rows, writer, session = [], [], []
    for w in range(150):
        base = rng.normal(0, np.sqrt(model.writer))
        for s in range(3):
            day = rng.normal(0, np.sqrt(model.session))
            rows.append(base + day + rng.normal(size=(25, DIMENSIONS)))
            writer += [f"w{w}"] * 25
            session += [s] * 25
    fitted = fit_plda(np.vstack(rows), np.array(writer), np.array(session), DIMENSIONS, shrinkage=0.0)
    # The fitted directions may be turned within near-equal levels, so the sorted sums are compared.
    assert np.sort(fitted.writer)[::-1] == pytest.approx(model.writer, rel=0.3)
    assert fitted.session.sum() == pytest.approx(model.session.sum(), rel=0.2)
    fitted.save(tmp_path / "c.npz")
    again = Plda.load(tmp_path / "c.npz")
    assert np.array_equal(again.projection, fitted.projection)


def test_what_sets_two_populations_apart_is_no_trait_of_a_writer(model):
    """A second scanner shifts all its writers alike; variance between writers is what it was."""
    rng = np.random.default_rng(5)
    writer = np.repeat(np.arange(80), 40)
    population = np.where(writer < 40, "one", "two")
    rows = rng.normal(0, np.sqrt(model.writer), (80, DIMENSIONS))[writer] + rng.normal(
        size=(writer.size, DIMENSIONS)
    )
    names, session = np.char.add("w", writer.astype(str)), np.zeros(writer.size, np.int64)
    alone = fit_plda(rows, names, session, DIMENSIONS, 0.0, population)
    rows[population == "two", 0] += 20.0
    shifted = fit_plda(rows, names, session, DIMENSIONS, 0.0, population)
    assert np.sort(shifted.writer) == pytest.approx(np.sort(alone.writer))
    assert fit_plda(rows, names, session, DIMENSIONS, 0.0).writer.max() > 5 * alone.writer.max()
