"""The claims file: every number of the paper that is checked, with ours, a tolerance and a verdict.

Statements, the paper's numbers, tolerances and reasons are written by hand. What we found, its standard
error and the verdict are read from the results, by ``python -m reproduction claims``.
"""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

from datakin import DatakinError
from reproduction.harness import markdown
from reproduction.stamps import stamp
from reproduction.study import Summary

Claim = dict[str, Any]
KEYS = ("setting", "column", "level")  # what names a row of a result
DIGITS = ".4g"


def look_up(group: Claim, claim: Claim, folder: Path) -> tuple[float, float]:
    """Return what the results say of a claim, and its standard error (NaN where there is none)."""
    path = folder / str(group["file"]).format_map(claim)
    name = ", ".join(str(claim[key]) for key in KEYS if key in claim)
    if not path.exists():
        raise DatakinError(f"The claim {group['id']} ({name}) needs {path}, which does not exist.")
    rows = pd.read_csv(path)
    for key in (key for key in KEYS if key in claim):
        rows = rows[
            (rows[key] - claim[key]).abs() < 1e-9 if key == "level" else rows[key] == claim[key]
        ]
    measure = group.get("measure", "value")
    if rows.empty or (measure == "value" and len(rows) > 1):
        raise DatakinError(
            f"The claim {group['id']} ({name}) needs one row of {path}. Got {len(rows)}."
        )
    if measure == "value":
        row, field = rows.iloc[0], group.get("field", "ours")
        return float(row[field]), float(row["se"]) if field == "ours" else math.nan
    gap = (rows["ours"] - rows["paper"]).abs()
    by = {
        "largest difference": gap,
        "largest relative difference": gap / rows["paper"].abs(),
        "largest difference in standard errors": gap / rows["se"],
    }
    return float(by[measure].max()), math.nan


def judge(group: Claim, claim: Claim) -> str:
    """Return the verdict on a claim from the numbers printed in it."""
    ours = claim["ours"]
    if math.isnan(ours):
        if "undefined" not in group:
            return "differs"
        ours = group["undefined"]  # what the paper prints where there is no number
    paper, unit = claim.get("paper", 0.0), group.get("unit", "absolute")
    scale = {
        "absolute": 1.0,
        "relative": abs(paper),
        # The paper's number is a mean over as many replicates: its error is as large as ours.
        "standard errors of the difference": math.sqrt(2) * claim.get("se", 0.0),
    }[unit]
    allowed = claim.get("tolerance", group["tolerance"]) * scale
    if abs(ours - paper) <= allowed:
        return "reproduced"
    return "better" if group.get("better") == "lower" and ours < paper else "differs"


def refresh_claims(folder: Path) -> Summary:
    """Fill in what the results say, judge, and write the claims file and its page."""
    path = folder.parent / "claims.toml"
    if not path.exists():
        raise DatakinError(f"The claims are kept beside the results. {path} does not exist.")
    text = path.read_text(encoding="utf-8")
    groups = tomllib.loads(text)["group"]
    for group in groups:
        for claim in group["claims"] if "file" in group else ():
            ours, error = look_up(group, claim, folder)
            claim["ours"] = float(format(ours, DIGITS))
            claim.pop("se", None)
            if not math.isnan(error):
                claim["se"] = float(format(error, DIGITS))
            claim["verdict"] = judge(group, claim)
    head = text[: text.index("[[group]]")]
    path.write_text(write_claims(head, groups), encoding="utf-8")
    summary = _summarise(groups)
    page = ["# claims", "", summary.text, "", f"{stamp()} by `python -m reproduction claims`.", ""]
    (folder / "claims.md").write_text("\n".join(page), encoding="utf-8")
    return summary


def write_claims(head: str, groups: list[Claim]) -> str:
    """Return the text of the claims file: one line per claim."""
    lines = [head.rstrip("\n"), ""]
    for group in groups:
        lines.append("[[group]]")
        lines += [f"{key} = {_toml(value)}" for key, value in group.items() if key != "claims"]
        lines.append("claims = [")
        for claim in group["claims"]:
            order = [key for key in claim if key not in ("ours", "se", "verdict", "note")]
            order += [key for key in ("ours", "se", "verdict", "note") if key in claim]
            lines.append("  { " + ", ".join(f"{k} = {_toml(claim[k])}" for k in order) + " },")
        lines += ["]", ""]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, float):
        return repr(value)  # also nan
    return json.dumps(value, ensure_ascii=False)


def _summarise(groups: list[Claim]) -> Summary:
    frame = pd.DataFrame(
        {"group": group["id"], **claim} for group in groups for claim in group["claims"]
    )
    counts = (
        frame.groupby(["group", "verdict"], sort=False).size().unstack(fill_value=0).reset_index()
    )
    text = [f"{len(frame)} claims: {_counted(frame['verdict'])}.", markdown(counts)]
    for group in groups:
        table = pd.DataFrame(group["claims"]).map(lambda v: "" if _absent(v) else v)
        line = f"{group['statement']} ({group['where']})."
        if "tolerance" in group:
            unit = group.get("unit", "absolute")
            line += f" Tolerance {group['tolerance']:g}, {unit}: {group['reason']}."
        text += [f"## {group['id']}", line]
        text.append(markdown(table))
    return Summary(frame, "\n\n".join(text))


def _absent(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _counted(verdicts: pd.Series) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.value_counts().items())
