"""Questioned and known writing, and a gallery of people: what the server computes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from handshift.attribution.comparison import Comparison
from handshift.calibration.verbal_scale import Language
from handshift.models.shipped_models import find_model


class PeopleComputer:
    """Loads a model once and compares the writing of people.

    Args:
        model: Id or folder of the model; the default when None.
        threads: Processor threads of the networks.
    """

    def __init__(self, model: str | None, threads: int) -> None:
        self._model, self._threads = model, threads

    def compare(self, questioned: dict[str, str], known: dict[str, str]) -> dict[str, Any]:
        """Weigh whether one person wrote both sets of files, as `handshift verify --known` does.

        Args:
            questioned: Names of the questioned exhibits by the paths of their files.
            known: Likewise of the known samples.
        """
        sides = [[Path(path) for path in paths] for paths in (questioned, known)]
        found = self._verifier.verify(sides[0], sides[1], known=True).comparison
        # Files are named by their digests in the store, which say nothing to a person.
        named = [_with_names(text, questioned | known) for text in found.warnings]
        found = replace(found, warnings=tuple(named))
        said = {language.value: self._said(found, language) for language in Language}
        return asdict(found) | {"scope": found.scope.record(), "statement": said}

    def _said(self, found: Comparison, language: Language) -> dict[str, Any]:
        """A comparison in the sentences of `handshift verify`."""
        from handshift.report.comparison_report import pair_headline, pair_propositions, pair_statement
        from handshift.report.notices import notice
        from handshift.report.run_header import Run

        model = find_model(self._model)
        started = datetime.now().astimezone()
        run = Run(model.card, started, {}, language, populations=model.populations())
        two = pair_propositions(found.propositions, run)
        return {
            "headline": pair_headline(found, run),
            "meaning": pair_statement(found, run),
            "one": two.one_writer,
            "two": two.two_writers,
            "population": two.population,
            "notices": [notice(warning, language) for warning in found.warnings],
        }

    def enroll(self, name: str, paths: Sequence[str], gallery: str) -> dict[str, Any]:
        """Add a person's pages to the gallery."""
        from handshift.pipeline.identifier import enroll

        _, new = enroll(self._comparer, {name: [Path(path) for path in paths]}, Path(gallery))
        return {"new": new}

    def identify(self, paths: Sequence[str], gallery: str) -> dict[str, Any]:
        """Rank the people of the gallery for a questioned file."""
        from handshift.pipeline.identifier import Identifier
        from handshift.report.notices import notice

        found = Identifier(gallery, comparer=self._comparer).identify([Path(path) for path in paths])
        said = {one.value: [notice(warning, one) for warning in found.warnings] for one in Language}
        return asdict(found) | {"scope": found.scope.record(), "notices": said}

    @cached_property
    def _verifier(self) -> Any:
        from handshift.pipeline.verifier import Verifier

        return Verifier(self._model, self._threads)

    @cached_property
    def _comparer(self) -> Any:
        from handshift.pipeline.comparer import Comparer

        return Comparer(self._model, self._threads)


def _with_names(text: str, names: dict[str, str]) -> str:
    for path, name in names.items():
        text = text.replace(path, name)
    return text
