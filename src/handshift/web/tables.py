"""The database: cases, exhibits, pages, findings, corrections, machines, jobs and the log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


def now() -> datetime:
    """The present time, UTC."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """Base of all tables."""

    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON, datetime: DateTime(timezone=True)}  # noqa: RUF012


class Case(Base):
    """One matter under examination."""

    __tablename__ = "cases"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    examiner: Mapped[str] = mapped_column(String(120), default="")
    notes: Mapped[str] = mapped_column(Text, default="")
    demo: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=now)
    exhibits: Mapped[list[Exhibit]] = relationship(
        back_populates="case", cascade="all, delete-orphan", order_by="Exhibit.position"
    )


class Exhibit(Base):
    """One file of a case; the same file may be an exhibit of several cases."""

    __tablename__ = "exhibits"

    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id", ondelete="CASCADE"), index=True)
    number: Mapped[str] = mapped_column(String(60))
    name: Mapped[str] = mapped_column(String(400))
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    notes: Mapped[str] = mapped_column(Text, default="")
    known: Mapped[str] = mapped_column(String(200), default="")
    """Whose known writing it is; empty for questioned documents."""
    position: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime] = mapped_column(default=now)
    case: Mapped[Case] = relationship(back_populates="exhibits")
    pages: Mapped[list[ExhibitPage]] = relationship(
        back_populates="exhibit", cascade="all, delete-orphan", order_by="ExhibitPage.number"
    )


class ExhibitPage(Base):
    """One page of an exhibit and what was computed for it."""

    __tablename__ = "pages"
    __table_args__ = (UniqueConstraint("exhibit_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    exhibit_id: Mapped[int] = mapped_column(ForeignKey("exhibits.id", ondelete="CASCADE"), index=True)
    number: Mapped[int] = mapped_column()
    """From 0."""
    image: Mapped[str] = mapped_column(String(64), default="")
    """SHA-256 of the page's pixels as PNG in the file store; empty where the page could not be decoded."""
    width: Mapped[int] = mapped_column(default=0)
    height: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(Text, default="")
    summary: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """What lists show of the page, so that they need not load its records, which hold every word."""
    computed: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None, deferred=True)
    """The page record as `examine` gave it, never changed."""
    corrected: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None, deferred=True)
    """The page record after the corrections that stand; None without any."""
    run: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None, deferred=True)
    """Model card, settings and versions."""
    vectors: Mapped[bytes | None] = mapped_column(default=None, deferred=True)
    """Of the words as examined (`RememberingEmbedder.packed`), so that corrections are scored at once."""
    exhibit: Mapped[Exhibit] = relationship(back_populates="pages")
    corrections: Mapped[list[Correction]] = relationship(
        back_populates="page", cascade="all, delete-orphan", order_by="Correction.id"
    )
    opinions: Mapped[list[Opinion]] = relationship(back_populates="page", cascade="all, delete-orphan")


class Correction(Base):
    """A change that a person made to the words or hands of a page; undone ones stay on record."""

    __tablename__ = "corrections"

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    examiner: Mapped[str] = mapped_column(String(120), default="")
    change: Mapped[dict[str, Any]] = mapped_column(JSON)
    made: Mapped[datetime] = mapped_column(default=now)
    undone: Mapped[datetime | None] = mapped_column(default=None)
    page: Mapped[ExhibitPage] = relationship(back_populates="corrections")


class Opinion(Base):
    """One examiner's marks on a page, hidden from the other until both have submitted."""

    __tablename__ = "opinions"
    __table_args__ = (UniqueConstraint("page_id", "examiner"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    examiner: Mapped[str] = mapped_column(String(120))
    marks: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """Hand by box, written "x,y,width,height"."""
    conclusion: Mapped[str] = mapped_column(Text, default="")
    submitted: Mapped[datetime | None] = mapped_column(default=None)
    page: Mapped[ExhibitPage] = relationship(back_populates="opinions")


class Machine(Base):
    """A machine that is watched by its health maps."""

    __tablename__ = "machines"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    notes: Mapped[str] = mapped_column(Text, default="")
    gear: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """Teeth, planets, speed, sampling rate and turns of a map, where given."""
    reference: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """What was learnt from its normal files: thresholds, cautions and colour scales."""
    demo: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=now)
    files: Mapped[list[MachineFile]] = relationship(
        back_populates="machine", cascade="all, delete-orphan", order_by="MachineFile.position"
    )


class MachineFile(Base):
    """A recording or map of a machine."""

    __tablename__ = "machine_files"

    id: Mapped[int] = mapped_column(primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machines.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(400))
    sha256: Mapped[str] = mapped_column(String(64))
    normal: Mapped[bool] = mapped_column(default=False)
    """Whether it is learnt from; the others are scored."""
    position: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(Text, default="")
    record: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """Health index, and for every sensor score, map, overlay and profiles; None until it is scored."""
    created: Mapped[datetime] = mapped_column(default=now)
    machine: Mapped[Machine] = relationship(back_populates="files")


class Job(Base):
    """Work that was asked for; what was running when the server died is queued again."""

    __tablename__ = "jobs"

    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int | None] = mapped_column(
        ForeignKey("cases.id", ondelete="CASCADE"), index=True, default=None
    )
    machine_id: Mapped[int | None] = mapped_column(
        ForeignKey("machines.id", ondelete="CASCADE"), index=True, default=None
    )
    kind: Mapped[str] = mapped_column(String(20))
    """examine, document or compare of a case; simulate, learn or score of a machine."""
    arguments: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    state: Mapped[str] = mapped_column(String(10), default="queued", index=True)
    """queued, running, done or failed."""
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    attempts: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(Text, default="")
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    created: Mapped[datetime] = mapped_column(default=now)
    finished: Mapped[datetime | None] = mapped_column(default=None)


class LogEntry(Base):
    """One line of the audit log; `hash` covers the line and the hash of the line before."""

    __tablename__ = "log"

    id: Mapped[int] = mapped_column(primary_key=True)
    case_id: Mapped[int | None] = mapped_column(index=True, default=None)
    """Not a foreign key: the log outlives the case."""
    at: Mapped[str] = mapped_column(String(40))
    examiner: Mapped[str] = mapped_column(String(120), default="")
    action: Mapped[str] = mapped_column(String(60))
    details: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64), unique=True)
