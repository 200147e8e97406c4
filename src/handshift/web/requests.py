"""What requests carry, checked before anything is done with it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
Notes = Annotated[str, StringConstraints(max_length=20_000)]
Id = Annotated[int, Field(ge=1, le=2**31 - 1)]


class NewCase(BaseModel):
    """A case to be opened."""

    name: Name
    examiner: Line = ""
    notes: Notes = ""


class CaseChange(BaseModel):
    """Fields of a case to be changed; None leaves one as it is."""

    name: Name | None = None
    examiner: Line | None = None
    notes: Notes | None = None


class ExhibitChange(BaseModel):
    """Fields of an exhibit to be changed; None leaves one as it is."""

    number: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)] | None = (
        None
    )
    notes: Notes | None = None
    known: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None


class DocumentRequest(BaseModel):
    """Pages that belong together, in order."""

    pages: Annotated[list[Id], Field(min_length=1, max_length=2000)]


class CompareRequest(BaseModel):
    """Exhibits of either side."""

    questioned: Annotated[list[Id], Field(min_length=1, max_length=200)]
    known: Annotated[list[Id], Field(min_length=1, max_length=200)]


class EnrollRequest(BaseModel):
    """A person and the exhibits that show their known writing."""

    name: Name
    exhibits: Annotated[list[Id], Field(min_length=1, max_length=200)]


class MachineGear(BaseModel):
    """What a machine's recordings do not say themselves; maps need nothing of it."""

    teeth: Annotated[int, Field(ge=2, le=1000)] | None = None
    """Of the pinion, or of a planet."""
    ring: Annotated[int, Field(ge=10, le=1000)] | None = None
    """Of the ring of a planetary stage."""
    planets: Annotated[int, Field(ge=1, le=20)] | None = None
    speed: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)] | None = None
    """Turns per second."""
    sample_rate: Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)] | None = None
    sensor: Annotated[int, Field(ge=1, le=64)] | None = None
    """With the clearest mesh tone."""
    turns: Annotated[int, Field(ge=1, le=1000)] | None = None
    """In one map of a parallel stage."""

    def plain(self) -> dict[str, float]:
        """Only what was given."""
        return dict(self.model_dump(exclude_none=True))


class NewMachine(BaseModel):
    """A machine to be watched."""

    name: Name
    notes: Notes = ""
    gear: MachineGear = MachineGear()


class MachineChange(BaseModel):
    """Fields of a machine to be changed; None leaves one as it is."""

    name: Name | None = None
    notes: Notes | None = None
    gear: MachineGear | None = None


class FileChange(BaseModel):
    """Whether a file of a machine is learnt from."""

    normal: bool


class OpinionRequest(BaseModel):
    """One examiner's marks; hand by box, written "x,y,width,height"."""

    examiner: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    marks: Annotated[
        dict[
            Annotated[str, StringConstraints(pattern=r"^\d{1,6},\d{1,6},\d{1,6},\d{1,6}$")],
            Annotated[str, StringConstraints(pattern=r"^[A-Z]{1,2}$")],
        ],
        Field(max_length=5000),
    ] = {}
    conclusion: Notes = ""
    submit: bool = False
