"""The morning's report: what of a period needs a look, as facts, rows and pages."""

from __future__ import annotations

from spillview.report.findings import SECTIONS, Finding, Report, Section

__all__ = ["SECTIONS", "Finding", "Report", "Section"]
