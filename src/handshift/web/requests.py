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
