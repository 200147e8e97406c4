"""Verdicts as HTML a person can read, print and hand on."""

from handshift.evidence.report.report import IndexRow, Run, index_html, page_html

__all__ = ["IndexRow", "Run", "index_html", "page_html"]
