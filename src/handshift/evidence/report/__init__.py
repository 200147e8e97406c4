"""Verdicts as HTML or PDF that a person can read, print and hand on."""

from handshift.evidence.report.report import IndexRow, index_html, page_html
from handshift.evidence.report.run import Run

__all__ = ["IndexRow", "Run", "index_html", "page_html"]
