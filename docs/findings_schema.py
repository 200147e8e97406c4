"""Write docs/findings.schema.json, by the types that findings are checked by."""

from __future__ import annotations

import json
from pathlib import Path

from handshift.report.findings_schema import findings_json_schema

FILE = Path(__file__).parent / "findings.schema.json"


def rendered() -> str:
    """What the file should hold."""
    return json.dumps(findings_json_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(rendered(), encoding="utf-8")
