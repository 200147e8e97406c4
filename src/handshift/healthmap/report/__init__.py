"""HTML report of scored maps."""

from handshift.healthmap.report.maps_report import ReportedRun, maps_html
from handshift.healthmap.report.scored_map import ScoredMap

__all__ = ["ReportedRun", "ScoredMap", "maps_html"]
