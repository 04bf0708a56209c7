"""The page of explain-real: sentences of every pair beside what the tables say."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from reproduction.harness import markdown

READING = """\
Headlines and sentences are those of seed 0. "Tables" are the same figures worked out again with pandas and
scikit-learn (penalised logistic or linear regression, or boosted trees where trees explain), so they should
be near those of explain and not equal to them. Columns that are constant in
a table are left out of them. "Typed" are the options that are proposed, typed behind `datakin
explain`: losses of the source's predictor and of the target alone, before and after. Copies of rows are
left out of the wines."""


def explained_page(rows: pd.DataFrame) -> str:
    """Return the page of all pairs."""
    parts = [" ".join(READING.split())]
    explained = rows[rows["kind"] == "explained"]
    pairs = explained.groupby(["collection", "target", "source"], sort=False)
    parts += ["## All pairs", markdown(_overview(pairs))]
    typed = rows[rows["kind"] == "typed"]
    for key, seeds in pairs:
        mine = typed[(typed[["collection", "target", "source"]] == list(key)).all(axis=1)]
        parts += _pair(key, seeds.sort_values("seed"), mine)
    return "\n\n".join([*parts, *_of_parts(rows[rows["kind"] == "part"])])


def _overview(pairs: object) -> pd.DataFrame:
    found = []
    for (collection, target, source), seeds in pairs:  # type: ignore[attr-defined]
        first = seeds.sort_values("seed").iloc[0]
        causes = seeds["causes"].fillna("")
        found.append(
            {
                "collection": collection,
                "target": target,
                "source": source,
                "rows": f"{first['n_target']:.0f}, {first['n_source']:.0f}",
                "excess": _percents(first),
                "causes": first["causes"] or "nothing named",
                "same first cause": f"{_agree(causes.str.split(', ').str[0])} of {len(seeds)}",
                "same headline": f"{_agree(seeds['headline'])} of {len(seeds)}",
            }
        )
    return pd.DataFrame(found)


def _agree(values: pd.Series) -> int:
    """Return how many seeds say what the first one says."""
    return int((values == values.iloc[0]).sum())


def _percents(row: pd.Series) -> str:
    return f"{row['excess']:+.1%} ({row['low']:+.1%} to {row['high']:+.1%})"


def _pair(key: tuple[str, str, str], seeds: pd.DataFrame, typed: pd.DataFrame) -> list[str]:
    collection, target, source = key
    first = seeds.iloc[0]
    said = [f"**{first['headline']}** {first['evidence']}"]
    lists = [("Why", first["reasons"]), ("What would mend it", first["remedies"])]
    for title, sentences in lists:
        if sentences:
            said.append(f"{title}:\n\n" + "\n".join(f"- {each}" for each in sentences.split("\n")))
    said.append("Tables:\n\n" + "\n".join(f"- {each}" for each in _tables(first, target, source)))
    if len(typed):
        said.append("Typed:\n\n" + "\n".join(f"- {_typed(row)}" for _, row in typed.iterrows()))
    said.append("Seeds:\n\n" + "\n".join(f"- {_seed(row)}" for _, row in seeds.iterrows()))
    return [f"## {collection}: {target} from {source}", *said]


def _tables(row: pd.Series, target: str, source: str) -> list[str]:
    is_class = bool(row["positive"])
    what = f"share of '{row['positive']}'" if is_class else "mean label"
    digits = ".1%" if is_class else ".2f"
    counts = ["", ""]
    if is_class:
        pairs = ((row["share here"], row["n_target"]), (row["share there"], row["n_source"]))
        counts = [f" ({share * n:.0f} rows)" for share, n in pairs]
    found = [
        f"{what}: {row['share here']:{digits}}{counts[0]} in {target}, {row['share there']:{digits}}"
        f"{counts[1]} in {source}; expected {row['expected']:{digits}}, again "
        f"{row['expected again']:{digits}}",
        f"slope {row['slope']:.2f}, again {row['slope again']:.2f}; excess {row['excess']:+.0%}, again "
        f"{row['excess again']:+.0%}; AUC between the tables {row['auc']:.2f}, again "
        f"{row['auc again']:.2f}",
    ]
    if isinstance(row.get("moved"), str):
        found.append(
            f"{row['moved']}: {row['moved here']:.3g} here and {row['moved there']:.3g} there, again "
            f"{row['moved here again']:.3g} (of {row['known here']:.0f} known) and "
            f"{row['moved there again']:.3g} (of {row['known there']:.0f})"
        )
    for what in ("missing", "constant"):
        if row[what]:
            found.append(f"{what}: {row[what]}")
    return found


def _typed(row: pd.Series) -> str:
    promised = row["promised"]
    excess = (
        f"excess {promised:.3f} promised, {row['came']:.3f} came"
        if promised == promised
        else f"not proposed; excess {row['came']:.3f}"
    )
    return (
        f"`{row['option']}`: {excess}; the source's loss goes from {row['loss before']:.3f} to "
        f"{row['loss after']:.3f}, that of the target alone from {row['alone before']:.3f} to "
        f"{row['alone after']:.3f}; named then: {row['causes after'] or 'nothing'}"
    )


def _seed(row: pd.Series) -> str:
    return f"{row['seed']}: {_percents(row)}, {row['learner']}, {row['causes'] or 'nothing named'}"


def _of_parts(parts: pd.DataFrame) -> list[str]:
    """Say how often something is named where the source is a part of the very table."""
    if parts.empty:
        return []
    lines = []
    for (collection, target, n), draws in parts.groupby(
        ["collection", "target", "n_source"], sort=False
    ):
        named = Counter(each for each in draws["causes"] if each)
        words = ", ".join(f"{cause} ({count})" for cause, count in named.most_common())
        lines.append(
            {
                "table": f"{collection}, {target}",
                "rows of the source": f"{n:.0f}",
                "draws": len(draws),
                "something named": sum(named.values()),
                "causes": words,
            }
        )
    intro = (
        "Random rows of a table stand as its source; nothing differs, and nothing should be named in more "
        "than 5% of the draws."
    )
    return ["## A table and a part of itself", intro, markdown(pd.DataFrame(lines))]
