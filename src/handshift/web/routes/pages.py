"""Pages: findings, pixels, corrections, second opinions and exports."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Body, HTTPException, Path, Query, Response

from handshift.calibration.operating_points import ModelOperatingPoints
from handshift.calibration.verbal_scale import Language, shipped_scale
from handshift.core.errors import HandshiftError
from handshift.models.shipped_models import find_model
from handshift.web import audit_log, tiles
from handshift.web.corrections import CHANGE, Change
from handshift.web.exports import correction_record, export_page, shown_record, summary_of
from handshift.web.job_runner import source_of
from handshift.web.requests import OpinionRequest
from handshift.web.routes.cases import page_summary
from handshift.web.routes.request_context import ERRORS, Bench, Examiner, Id, require
from handshift.web.tables import Correction, ExhibitPage, Opinion, now

router = APIRouter(prefix="/api/pages", tags=["pages"], responses=ERRORS)
Form = Literal["html", "pdf", "json", "csv", "page-xml", "tei", "annotations"]
Coordinate = Annotated[int, Query(ge=0, le=1_000_000)]
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}


@router.get("/{page_id}")
def show_page(page_id: Id, bench: Bench, lang: Language = Language.en) -> dict[str, Any]:
    """A page: what was computed, what a person changed, and how strong the evidence is in words."""
    with bench.database.read() as session:
        page = require(session, ExhibitPage, page_id)
        return _page(page, lang)


@router.get("/{page_id}/tiles/{level}/{column}_{row}.jpg", response_class=Response)
def show_tile(
    page_id: Id,
    level: Annotated[int, Path(ge=0, le=40)],
    column: Annotated[int, Path(ge=0, le=100_000)],
    row: Annotated[int, Path(ge=0, le=100_000)],
    bench: Bench,
) -> Response:
    """A tile for deep zoom."""
    path = _pixels(page_id, bench)
    try:
        return Response(tiles.tile(path, level, column, row), media_type="image/jpeg", headers=FOREVER)
    except HandshiftError as error:
        raise HTTPException(404, str(error)) from error


@router.get("/{page_id}/thumbnail.jpg", response_class=Response)
def show_thumbnail(page_id: Id, bench: Bench) -> Response:
    """The page, small."""
    return Response(tiles.thumbnail(_pixels(page_id, bench)), media_type="image/jpeg", headers=FOREVER)


@router.get("/{page_id}/crop.png", response_class=Response)
def show_crop(
    page_id: Id, bench: Bench, x: Coordinate, y: Coordinate, width: Coordinate, height: Coordinate
) -> Response:
    """A part of the page."""
    content = tiles.crop(_pixels(page_id, bench), (x, y, width, height))
    return Response(content, media_type="image/png", headers=FOREVER)


@router.get("/{page_id}/matches")
def show_matches(
    page_id: Id, bench: Bench, x: Coordinate, y: Coordinate, width: Coordinate, height: Coordinate
) -> list[dict[str, Any]]:
    """Words of the page whose shape resembles one word's, most similar first."""
    with bench.database.read() as session:
        source = source_of(_readable(require(session, ExhibitPage, page_id)))
    found: list[dict[str, Any]] = bench.desk.call("matches", source, (x, y, width, height))
    return found


@router.post("/{page_id}/corrections", status_code=201)
def correct(
    page_id: Id,
    change: Annotated[Change, Body()],
    bench: Bench,
    examiner: Examiner,
    lang: Language = Language.en,
) -> dict[str, Any]:
    """Correct words or hands and score the page again; the computed findings stay beside."""
    with bench.database.read() as session:
        page = _readable(require(session, ExhibitPage, page_id))
        source = source_of(page)
        seen = [correction.id for correction in page.corrections]
    plain = CHANGE.dump_python(change, mode="json")
    record = bench.desk.call("rescore", _with(source, plain))
    with bench.database.write() as session:
        page = require(session, ExhibitPage, page_id)
        if [correction.id for correction in page.corrections] != seen:
            raise HTTPException(409, "the page was corrected in another window meanwhile; look at it again")
        page.corrections.append(Correction(page_id=page_id, examiner=examiner, change=plain))
        page.corrected = record
        page.summary = summary_of(page)
        _log(session, page, "page.corrected", examiner, change=plain, log10_lr=record["log10_lr"])
        session.flush()
        shown = _page(page, lang)
        event = {"page": page.id, "exhibit": page.exhibit_id, "case": page.exhibit.case_id}
    bench.events.publish("page", event)
    return shown


@router.post("/{page_id}/undo")
def undo(page_id: Id, bench: Bench, examiner: Examiner, lang: Language = Language.en) -> dict[str, Any]:
    """Take the newest standing correction back; it stays on record as undone."""
    with bench.database.read() as session:
        page = _readable(require(session, ExhibitPage, page_id))
        standing = [one for one in page.corrections if one.undone is None]
        if not standing:
            raise HTTPException(400, "there is no correction to undo")
        source, newest = source_of(page), standing[-1].id
    left = source.changes[:-1]
    record = bench.desk.call("rescore", _replaced(source, left)) if left else None
    with bench.database.write() as session:
        page = require(session, ExhibitPage, page_id)
        correction = require(session, Correction, newest)
        if correction.undone is not None:
            raise HTTPException(409, "it was undone in another window meanwhile; look at the page again")
        correction.undone, page.corrected = now(), record
        page.summary = summary_of(page)
        _log(session, page, "page.correction_undone", examiner, change=correction.change)
        session.flush()
        shown = _page(page, lang)
        event = {"page": page.id, "exhibit": page.exhibit_id, "case": page.exhibit.case_id}
    bench.events.publish("page", event)
    return shown


@router.get("/{page_id}/opinions")
def show_opinions(
    page_id: Id, bench: Bench, examiner: Annotated[str, Query(max_length=120)]
) -> dict[str, Any]:
    """One's own marks; those of others once both have submitted, with the words on which they differ."""
    with bench.database.read() as session:
        page = require(session, ExhibitPage, page_id)
        own = next((opinion for opinion in page.opinions if opinion.examiner == examiner), None)
        others = [opinion for opinion in page.opinions if opinion.examiner != examiner]
        waiting = sum(opinion.submitted is None for opinion in others)
        visible = [one for one in others if one.submitted] if own is not None and own.submitted else []
        return {
            "own": _opinion(own) if own else None,
            "others": [_opinion(opinion) for opinion in visible],
            "hidden": len(others) - len(visible),
            "waiting": waiting,
            "differences": [_differences(own, other) for other in visible] if own else [],
        }


@router.put("/{page_id}/opinions")
def save_opinion(page_id: Id, wanted: OpinionRequest, bench: Bench) -> dict[str, Any]:
    """Keep one's marks; after submitting they can't be changed."""
    with bench.database.write() as session:
        page = require(session, ExhibitPage, page_id)
        opinion = next((one for one in page.opinions if one.examiner == wanted.examiner), None)
        if opinion is None:
            opinion = Opinion(page_id=page_id, examiner=wanted.examiner)
            page.opinions.append(opinion)
        if opinion.submitted is not None:
            raise HTTPException(400, "this opinion was submitted and stands as it is")
        opinion.marks, opinion.conclusion = dict(wanted.marks), wanted.conclusion
        if wanted.submit:
            opinion.submitted = now()
            _log(
                session,
                page,
                "opinion.submitted",
                wanted.examiner,
                marks=opinion.marks,
                conclusion=opinion.conclusion,
            )
        session.flush()
        return _opinion(opinion)


@router.get("/{page_id}/export/{form}", response_class=Response)
def export(
    page_id: Id, form: Form, bench: Bench, examiner: Examiner, lang: Language = Language.en
) -> Response:
    """The page's findings as a file."""
    with bench.database.read() as session:
        page = _readable(require(session, ExhibitPage, page_id))
        exported = export_page(page, bench.files.path(page.image), form, lang)
        stem = f"{page.exhibit.number}-p{page.number + 1}"
    with bench.database.write() as session:
        _log(session, require(session, ExhibitPage, page_id), "page.exported", examiner, format=form)
    name = quote(stem + exported.suffix)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(exported.content, media_type=exported.media_type, headers=headers)


def _page(page: ExhibitPage, language: Language) -> dict[str, Any]:
    record = shown_record(page)
    lr = record.get("log10_lr")
    return page_summary(page) | {
        "exhibit": page.exhibit_id,
        "case": page.exhibit.case_id,
        "name": page.exhibit.name,
        "sha256": page.exhibit.sha256,
        "tile_size": tiles.TILE,
        "record": record or None,
        "computed": page.computed if page.corrected else None,
        "run": page.run,
        "statement": None if lr is None else _statement(page, record, language),
        "operating": None if lr is None else _operating(page, record),
        "corrections": [correction_record(correction) for correction in page.corrections],
    }


def _statement(page: ExhibitPage, record: dict[str, Any], language: Language) -> dict[str, Any]:
    """The sentences of the report, so that page and print say the same."""
    from handshift.calibration.propositions import Propositions
    from handshift.calibration.scope import Scope
    from handshift.report.notices import notice
    from handshift.report.page_report import statement, texts
    from handshift.report.run_header import Run

    run = Run.from_record(page.run or {}, language, shipped_scale())
    low, high = record["log10_lr_bounds"]
    scope = Scope.from_record(record.get("scope"))
    propositions = Propositions.from_record(record["propositions"]).in_language(language)
    return {
        "scope": scope.headline(language),
        "notices": [notice(warning, language) for warning in record["warnings"]],
        "withheld": texts(language)["scope_withheld"] if scope.withheld else None,
        "meaning": statement(record["log10_lr"], (low, high), run),
        "several": propositions.several_hands,
        "one": propositions.one_hand,
        "population": propositions.population,
        "not_prior": texts(language)["not_prior"],
    }


@lru_cache(maxsize=8)
def _operating_points(model: str) -> ModelOperatingPoints | None:
    """Of a model that is there; a page may have been examined with one that is not."""
    try:
        return find_model(model).operating_points()
    except HandshiftError:
        return None


def _operating(page: ExhibitPage, record: dict[str, Any]) -> dict[str, Any] | None:
    """Error rates by threshold in the validation of the model that examined the page; None if unknown."""
    model = (page.run or {}).get("settings", {}).get("model")
    found = _operating_points(str(model)) if model else None
    if found is None:
        return None
    words = sum(word.get("kind", "writing") == "writing" for word in record["words"])
    return found.for_words(words).record() | {"data": found.data}


def _pixels(page_id: int, bench: Bench) -> Any:
    with bench.database.read() as session:
        page = require(session, ExhibitPage, page_id)
        if not page.image:
            raise HTTPException(404, "the page could not be decoded, so there is no picture of it")
        return bench.files.path(page.image)


def _readable(page: ExhibitPage) -> ExhibitPage:
    if not page.image:
        raise HTTPException(400, f"the page could not be decoded: {page.error}")
    return page


def _with(source: Any, change: dict[str, Any]) -> Any:
    return _replaced(source, (*source.changes, change))


def _replaced(source: Any, changes: tuple[dict[str, Any], ...]) -> Any:
    from dataclasses import replace

    return replace(source, changes=changes)


def _log(session: Any, page: ExhibitPage, action: str, examiner: str, **details: Any) -> None:
    about = {"exhibit": page.exhibit.number, "page": page.number + 1, "sha256": page.exhibit.sha256}
    audit_log.append(session, action, about | details, page.exhibit.case_id, examiner)


def _opinion(opinion: Opinion) -> dict[str, Any]:
    return {
        "examiner": opinion.examiner,
        "marks": opinion.marks,
        "conclusion": opinion.conclusion,
        "submitted": opinion.submitted.isoformat() if opinion.submitted else None,
    }


def _differences(own: Opinion, other: Opinion) -> dict[str, Any]:
    """Words that only one marked, or that each ascribed to another hand."""
    boxes = sorted({*own.marks, *other.marks})
    rows = [{"box": box, "own": own.marks.get(box), "other": other.marks.get(box)} for box in boxes]
    return {"examiner": other.examiner, "words": [row for row in rows if row["own"] != row["other"]]}
