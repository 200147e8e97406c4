"""The report of a verification as one HTML file."""

from __future__ import annotations

from handshift.attribution.comparison import Comparison
from handshift.attribution.verification import Verification
from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.verbal_scale import WRITERS, Language, times
from handshift.report.comparison_view import comparison_view
from handshift.report.equal_words import equal_words
from handshift.report.findings_record import readable
from handshift.report.page_report import render, scope_lines, signed, texts
from handshift.report.run_header import Run
from handshift.report.sheet import Section

_PROPOSITIONS = {
    "One person wrote both, on two days.": "pair_one_pages",
    "Two people wrote them, each one of the two.": "pair_two_pages",
    "Both show one and the same.": "pair_one_pictures",
    "They show two different ones.": "pair_two_pictures",
}
"""Texts of the propositions that calibration writes; those of a laboratory's own stay as they are."""


def comparison_html(verification: Verification, run: Run) -> str:
    """Render a verification as a self-contained file."""
    found = verification.comparison
    return render(
        "comparison.html",
        run,
        found=found,
        view=comparison_view(verification),
        headline=pair_headline(found, run),
        scope=scope_lines(found, run.language),
        statement=pair_statement(found, run),
        reach=pair_reach(found, run),
        pair=pair_propositions(found.propositions, run),
        known=known_samples(found, run),
        context=typicality(found, run),
        equal=equal_words(verification),
    )


def pair_headline(found: Comparison, run: Run) -> str:
    """What the report says first: the support in words, or that nothing can be said."""
    if found.scope.withheld:
        return texts(run.language)["scope_withheld"]
    return run.scale.support(found.log10_lr, run.language, WRITERS).capitalize()


def pair_statement(found: Comparison, run: Run) -> str:
    """Explain the ratio of a comparison in one sentence, or two where it is at its bound."""
    t = texts(run.language)
    towards = "pair_statement_one" if found.log10_lr > 0 else "pair_statement_two"
    sentence = t["pair_statement_neither" if run.scale.is_neutral(found.log10_lr) else towards]
    at_bound = not found.bounds[0] < found.log10_lr < found.bounds[1]
    sentences = [sentence.format(times=times(found.log10_lr)), *[t["at_bound"]] * at_bound]
    return " ".join([*sentences, *size_of_writing(found, run)])


def size_of_writing(found: Comparison, run: Run) -> list[str]:
    """Say how large both sides are written and what that adds, where the resolution is known."""
    if found.letter_mm is None:
        return []
    one, two = found.letter_mm
    sentence = texts(run.language)["pair_size"]
    return [sentence.format(a=f"{one:.1f}", b=f"{two:.1f}", added=signed(found.size_log10_lr))]


def known_samples(found: Comparison, run: Run) -> list[str]:
    """Say how known samples vary among themselves."""
    if found.known is None:
        return []
    t, known = texts(run.language), found.known
    own = t["pair_known_one"].format(name=readable(known.name))
    if known.own:
        low, high, mean = map(signed, (min(known.own), max(known.own), sum(known.own) / len(known.own)))
        own = t["pair_known_own"].format(
            name=readable(known.name), pages=known.pages, low=low, high=high, mean=mean
        )
    return [own]


def typicality(found: Comparison, run: Run) -> list[str]:
    """Say how often other writers of the population agree as well, and how often at even odds and above.

    Nothing is said of a ratio that is withheld.
    """
    if not found.strangers or found.scope.withheld:
        return []
    t = texts(run.language)
    (_, rate), *steps = found.strangers
    said = [t["pair_context_step"].format(weight=signed(at), rate=_percent(share)) for at, share in steps]
    typical = t["pair_known_typical"].format(rate=_percent(rate))
    return [typical, t["pair_context"].format(reached=", ".join(said))]


def _percent(share: float) -> str:
    """Two digits, however small: these shares differ by powers of ten."""
    return f"{float(f'{100 * share:.2g}'):f}".rstrip("0").rstrip(".") + " %"


def pair_reach(found: Comparison, run: Run) -> str:
    """Give the interval of a comparison over draws of the words, and its bounds."""
    t = texts(run.language)
    bounds = t["bounds"].format(low=signed(found.bounds[0]), high=signed(found.bounds[1]))
    if found.interval is None:
        return bounds
    low, high = map(signed, found.interval)
    interval = t["pair_interval_same"] if low == high else t["pair_interval"].format(low=low, high=high)
    return f"{interval}; {bounds}"


def pair_propositions(propositions: PairPropositions, run: Run) -> PairPropositions:
    """The propositions of a comparison in the language of the run, as far as they are known in it."""
    if run.language is Language.en:
        return propositions
    t = texts(run.language)
    one, two = (
        t[_PROPOSITIONS[text]] if text in _PROPOSITIONS else text
        for text in (propositions.one_writer, propositions.two_writers)
    )
    return PairPropositions(one, two, run.populations.get(run.language, propositions.population))


def propositions_section(propositions: PairPropositions, run: Run) -> Section:
    """The propositions and the population, each with its name."""
    t, said = texts(run.language), pair_propositions(propositions, run)
    named = (
        (t["p_several"], said.one_writer),
        (t["p_one"], said.two_writers),
        (t["population"], said.population),
    )
    return Section(t["propositions"], sentences=tuple(f"{name}: {sentence}" for name, sentence in named))
