"""From finished draws to ``decisions.csv`` and ``decisions.md``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.decisions.collections import HELD_OUT, OPEN
from benchmarks.decisions.runs import Settings, in_words
from benchmarks.decisions.scores import OURS, RIVALS, SCORES
from benchmarks.decisions.tables import DEFAULTS, RULES, Findings, find, tidy
from reproduction.harness import made_by, markdown

ABOUT = """\
Which score tells what a source will do for a small target? From each of several domains a small target is
drawn; other domains are its candidate sources, 100 to 400 rows of each. Every score sees the target and the
sources; what each source really brings is measured on all rows that the target's domain has left. Gain:
error of the target alone minus error with the source, in units of the mean error alone (losses cut at
-100%), mean of two learners (the house's logistic or linear regression, boosted trees). Unless said
otherwise it is that of concatenation.

**tau**: Kendall's rank correlation between score and gain over the sources of a target. **regret**: gain of
the best source minus that of the score's first. **picked**: gain of the score's first. Averages go over
draws, then targets, then collections; 95% intervals from the bootstrap over targets, widened for their
small number (those of zones are not): they are about these collections, not about others.

**first or within noise**: the score has the highest mean tau of a collection, or its difference to the
highest has a 95% interval (Student's t over the targets) that holds 0. A collection with few targets is
generous there.

What datakin does with a source rests on its `trial`: rankings are in the order of the gain
to expect, and calls come from it. What acting on them brings is on the page of [choices](choices.md).

`cls`: the score at matched sizes; `cls_paper`, `cls_limit`, `cls_standardised`: at the paper's sizes,
extrapolated to endless rows, and in units of the label's spread. `directional`: error of the source's
ensemble on the target less the target's own. `trial`: the gain to expect after a trial of
a stack of target and source. Rivals: distances between features (columns scaled by their pooled standard
deviation), `source_error` (error on the target of one logistic or linear fit on the source) and
`source_size`. `chance` picks at random.
"""
GOALS = {"positive": 0.85, "negative": 0.90, "collections": 8}


def write_report(
    records: Sequence[dict[str, Any]],
    settings: Settings,
    chosen: Sequence[str],
    folder: Path,
    command: str,
) -> Path:
    """Write the tables, return where the page is; collections on their own get one of their own."""
    held = [r for r in records if r["collection"] in HELD_OUT]
    others = [r for r in records if r["collection"] not in HELD_OUT]
    names = [Path(spec).stem for spec in chosen]
    is_whole = set(names) >= set(OPEN)
    stem = "decisions" if is_whole else "decisions-" + "-".join(names)
    parts = [_intro(records, settings, command)]
    tables = []
    if held and is_whole:
        found = find(records)
        parts.append(_page("All collections", found, is_short=True))
        tables.append(tidy(found).assign(part="all"))
    ours = "Open collections" if is_whole else "Collections"
    for title, part in ((ours, others), ("Held-out collections", held)):
        if part:
            found = find(part)
            parts.append(_page(title, found))
            kind = "held out" if part is held else "open"
            tables.append(tidy(found).assign(part=kind))
    if others and not held and is_whole:
        parts.append(
            f"## Held-out collections\n\nNot run yet: {', '.join(HELD_OUT)}, chosen before any result."
        )
    page = "\n\n".join(parts) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    pd.concat(tables).to_csv(folder / f"{stem}.csv", index=False, float_format="%.5g")
    where = folder / f"{stem}.md"
    where.write_text(page, encoding="utf-8")
    return where


def _intro(records: Sequence[dict[str, Any]], settings: Settings, command: str) -> str:
    hours = sum(r["seconds_all"] for r in records) / 3600
    paragraphs = [" ".join(text.split()) for text in ABOUT.split("\n\n")]
    more = f" ({in_words(settings)}; {len(records)} draws, {hours:.1f} hours of one core)"
    how = made_by(command, "Seeds follow from names", more)
    return "\n\n".join(["# decisions", *paragraphs, how])


def _page(title: str, found: Findings, is_short: bool = False) -> str:
    parts = [f"## {title}"]
    names = list(found.targets["collection"].unique())
    parts += ["### Scores", _score_table(found.overall, len(names))]
    parts += ["### Goals", _goals(found, len(names))] if len(names) > 1 else []
    if is_short:
        return "\n\n".join(parts)
    parts += [
        "### Kendall's tau by collection",
        _wide(found.collections, "tau", names),
        "### Regret by collection",
        _wide(found.collections, "regret", names),
        "### Zones",
        "positive right: concatenation gains; useful: concatenation or KinWeighted does; negative right: "
        "concatenation loses. all: every call counts the same, so that collections with many calls rule; "
        "mean: every collection with a call counts the same. by chance: how often the same number of calls "
        "in each collection would be right if they fell on any of its pairs.",
        _zone_text(found.zones),
    ]
    if len(found.pairs):
        parts += [
            "### Ours minus a rival, where both are defined",
            "tau above 0 and regret below 0 are in our favour; ahead: in how many of the collections.",
            markdown(found.pairs),
        ]
    parts += ["### tau with the gain of every method", _method_table(found.methods)]
    return "\n\n".join(parts)


def _score_table(overall: pd.DataFrame, n: int) -> str:
    def with_ends(row: pd.Series, name: str) -> str:
        return f"{row[f'{name}_value']:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"

    rows = [
        {
            "score": row["score"],
            "": "ours" if row["score"] in OURS else "rival" if row["score"] in RIVALS else "",
            "tau": with_ends(row, "tau"),
            "regret": with_ends(row, "regret"),
            "picked": with_ends(row, "picked"),
            "first or within noise": f"{row['first']} of {row['collections']}",
            "seconds": "" if np.isnan(row["seconds"]) else f"{row['seconds']:.2f}",
        }
        for _, row in overall.sort_values("tau_value", ascending=False).iterrows()
    ]
    note = "seconds: processor time for one target with all its sources (one plan serves all our scores)."
    return f"{markdown(pd.DataFrame(rows))}\n\n{n} collection(s). {note}"


def _goals(found: Findings, n: int) -> str:
    """Say which aims are met, by the default score and by the trial."""
    table = found.overall.set_index("score")
    rivals = [r for r in RIVALS if r in table.index]
    # A rival that is not defined everywhere is compared pairwise, where both are.
    lines = []
    for ours in DEFAULTS:
        pairs = found.pairs[found.pairs["ours"] == ours]
        behind = pairs[pairs["tau_value"] < 0]["rival"].tolist()
        level = pairs[(pairs["tau_value"] >= 0) & (pairs["tau_low"] < 0)]["rival"].tolist()
        dearer = pairs[pairs["regret_value"] > 0]["rival"].tolist()
        as_often = [r for r in rivals if table.loc[r, "first"] >= table.loc[ours, "first"]]
        as_dear = pairs[(pairs["regret_value"] <= 0) & (pairs["regret_high"] > 0)]["rival"].tolist()
        lines += [
            f"- `{ours}`: highest mean tau of {len(rivals)} rivals: "
            f"{_met(not behind)}{_but('behind', behind)}{_but('within noise of', level)}",
            f"- `{ours}`: first or within noise of first in {table.loc[ours, 'first']} of {n} collections "
            f"(aim: 8 of 11): {_met(table.loc[ours, 'first'] >= n * GOALS['collections'] / 11)}"
            f"{_but('as often or more:', as_often)}",
            f"- `{ours}`: regret lower than every rival's: {_met(not dearer)}{_but('not than', dearer)}"
            f"{_but('within noise of', as_dear)}",
        ]
    for rule in RULES:
        zones = found.zones
        row, mean = (
            zones[(zones["rule"] == rule) & (zones["collection"] == which)].iloc[0]
            for which in ("all", "mean")
        )
        for kind in ("positive", "negative"):
            right = row[f"{kind}_right"]
            evenly = mean[f"{kind}_right"]
            lines.append(
                f"- zones `{rule}`: {kind} right (aim: {GOALS[kind]:.0%}): {right:.0%} of {row[kind]:.0f} "
                f"calls, {_met(right >= GOALS[kind])}; {evenly:.0%} as a mean of collections, "
                f"{_met(evenly >= GOALS[kind])}"
            )
    return "\n".join(lines)


def _met(is_met: bool) -> str:
    return "met" if is_met else "**not met**"


def _but(word: str, names: Sequence[str]) -> str:
    return f" ({word} {', '.join(names)})" if names else ""


def _wide(table: pd.DataFrame, column: str, names: Sequence[str]) -> str:
    return _two_digits(table.pivot(index="score", columns="collection", values=column)[list(names)])


def _two_digits(wide: pd.DataFrame) -> str:
    wide = wide.reindex([s for s in (*SCORES, "chance") if s in wide.index])
    text = wide.map(lambda value: "" if np.isnan(value) else f"{value:.2f}")
    return markdown(text.reset_index())


def _zone_text(zones: pd.DataFrame) -> str:
    def share(row: pd.Series, name: str) -> str:
        if np.isnan(row[name]):
            return ""
        text = f"{row[name]:.0%}"
        if not np.isnan(row.get(f"{name}_low", np.nan)):
            text += f" [{row[f'{name}_low']:.0%}, {row[f'{name}_high']:.0%}]"
        return text

    rows = [
        {
            "rule": row["rule"],
            "collection": row["collection"],
            "pairs": int(row["calls"]),
            "positive": int(row["positive"]),
            "right": share(row, "positive_right"),
            "by chance": share(row, "positive_chance"),
            "useful": share(row, "positive_useful"),
            "negative": int(row["negative"]),
            "right ": share(row, "negative_right"),
            "by chance ": share(row, "negative_chance"),
            "ambiguous": share(row, "ambiguous"),
        }
        for _, row in zones.iterrows()
    ]
    return markdown(pd.DataFrame(rows))


def _method_table(methods: pd.DataFrame) -> str:
    wide = methods.assign(gain=methods["learner"] + ": " + methods["method"]).pivot(
        index="score", columns="gain", values="tau"
    )
    return _two_digits(wide)
