"""Pages that are made from other files of the repository: claims, results, benchmarks, guides."""

from __future__ import annotations

import math
import shutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

STALE = "**Stale:**"  # what a page says whose rows no longer come out
VERDICTS = ("reproduced", "better", "differs", "slip")
KEYS = ("setting", "column", "level")
# Pages link to the repository's own files, which works without Sphinx; these are their copies.
COPIES = {
    "../reproduction/results/": "generated/results/",
    "../benchmarks/results/RESULTS.md": "generated/benchmarks.md",
    "../benchmarks/results/": "generated/results/",
    "../CONTRIBUTING.md": "generated/contributing.md",
}


def write_generated(docs: Path) -> None:
    """Write docs/generated: the claims table, and a copy of every page of results."""
    root, folder = docs.parent, docs / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "results").mkdir(parents=True)
    results, benchmarks = root / "reproduction" / "results", root / "benchmarks" / "results"
    text = (root / "reproduction" / "claims.toml").read_text(encoding="utf-8")
    (folder / "claims.md").write_text(claims_page(text), encoding="utf-8")
    names = (
        "decisions.md",
        "models.md",
        "choices.md",
        "calibration.md",
        "stability.md",
        "successor.md",
        "folds.md",
    )
    more = [benchmarks / name for name in names]
    pages = sorted([*results.glob("*.md"), *more], key=lambda page: page.name)
    for page in [*pages, *results.glob("*.png")]:
        shutil.copy(page, folder / "results" / page.name)
    (folder / "results" / "index.md").write_text(results_page(pages), encoding="utf-8")
    shutil.copy(benchmarks / "RESULTS.md", folder / "benchmarks.md")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    changes = changes.replace("](benchmarks/results/", "](results/")
    (folder / "changelog.md").write_text(changes, encoding="utf-8")
    guide = (root / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](../")
    (folder / "contributing.md").write_text(guide, encoding="utf-8")


def forget_old_examples(docs: Path) -> None:
    """Remove pages of the gallery whose example is gone, which an earlier build has left."""
    known = {example.stem for example in (docs / "gallery").glob("plot_*.py")}
    for page in (docs / "auto_examples").glob("plot_*"):
        if page.name.split(".")[0] not in known:
            page.unlink()


def claims_page(text: str) -> str:
    """Return the claims as Markdown: counts, a row for each group, and all that did not come out.

    Parameters
    ----------
    text : str
        Of claims.toml.
    """
    groups = tomllib.loads(text)["group"]
    claims = [(group, claim) for group in groups for claim in group["claims"]]
    counts = Counter(claim["verdict"] for _, claim in claims)
    lines = [f"{len(claims)} claims: {', '.join(f'{counts[v]} {v}' for v in VERDICTS)}.", ""]
    lines += _table(("claim", "where", "may be off by", *VERDICTS), map(_group, groups))
    differs = (
        (g["id"], _name(c), _number(c.get("paper")), _number(c.get("ours")), c.get("note", ""))
        for g, c in claims
        if c["verdict"] == "differs"
    )
    lines += ["### What differs", "", "Group and numbers; what was found beside each.", ""]
    lines += _table(("group", "what", "paper", "ours", "what was found"), differs)
    slips = (
        (c["says"], c.get("where", ""), ", ".join(map(str, c.get("prints", ()))), c.get("note", ""))
        for _, c in claims
        if c["verdict"] == "slip"
    )
    lines += ["### Slips of the paper", ""]
    lines += _table(("what", "where", "prints", "what was found"), slips)
    return "\n".join(lines)


def _group(group: dict[str, Any]) -> tuple[str, ...]:
    counts = Counter(claim["verdict"] for claim in group["claims"])
    allowed = ""
    if "tolerance" in group:
        allowed = f"{group['tolerance']:g} ({group.get('unit', 'absolute')})"
    shown = [str(counts[verdict] or "") for verdict in VERDICTS]
    return (group["statement"], group["where"], allowed, *shown)


def _name(claim: dict[str, Any]) -> str:
    return ", ".join(str(claim[key]) for key in KEYS if key in claim)


def _number(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(head: tuple[str, ...], rows: Any) -> list[str]:
    def line(cells: Any) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(head), "|" + "---|" * len(head), *map(line, rows), ""]


def results_page(pages: list[Path]) -> str:
    """Return the list of all results, each with the question it answers."""
    lines = [
        "# All results",
        "",
        "Each page says which command made it, when, and with which commit.",
        "",
    ]
    for page in pages:
        paragraphs = page.read_text(encoding="utf-8").split("\n\n")
        said = [each.strip() for each in paragraphs[1:] if not each.strip().startswith(STALE)]
        question = said[0].splitlines()[0] if said else ""
        is_stale = " (stale)" if len(said) < len(paragraphs) - 1 else ""
        lines.append(f"- [{page.stem}]({page.name}){is_stale}: {question}")
    lines += ["", "```{toctree}", ":hidden:", "", *(page.stem for page in pages), "```", ""]
    return "\n".join(lines)
