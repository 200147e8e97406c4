"""Verdicts as HTML or PDF that a person can read, print and hand on."""

from handshift.report.page_report import IndexRow, index_html, page_html
from handshift.report.run_header import Run

__all__ = ["IndexRow", "Run", "index_html", "page_html"]
