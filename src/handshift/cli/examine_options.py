"""How pages are examined and how the findings are presented."""

from __future__ import annotations

from dataclasses import dataclass, field

from handshift.calibration.verbal_scale import Language, Scale, shipped_scale
from handshift.cli.engine_options import EngineChoice


@dataclass(frozen=True, slots=True)
class ExamineOptions:
    """What the user chose beside paths and results."""

    model: str | None = None
    language: Language = Language.en
    scale: Scale = field(default_factory=shipped_scale)
    read: bool = False
    """Whether the words of pages by several hands are read by OCR."""
    resume: bool = True
    """Whether to continue a run that did not finish."""
    force: bool = False
    """Whether ratios are stated outside of the model's scope as well."""
    case: dict[str, str] = field(default_factory=dict)
    """What was noted of the case: any of case, exhibit, examiner and note."""
    cut: str | None = None
    """What one file holds: page or word; what the model was calibrated on without it."""
    engine: EngineChoice | None = None
    """Where pages are examined; in this process if None."""
