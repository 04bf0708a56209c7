"""The answer of a matrix: which datasets go together, and which pairs hurt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from datakin._core.exceptions import counted
from datakin.results.answer import Answer, AnswerTable, Bar, Row
from datakin.results.record import cell
from datakin.results.words import enumerated, named, number, short
from datakin.results.zones import NOT_TRIED, Zone

if TYPE_CHECKING:
    from datakin.results.matrix import Matrix, Square

SQUARE = 6  # datasets whose square has at most seven columns
ENDS = 8  # pairs from either end of a longer list
HURTING = 40  # pairs that are named
LISTED = 3  # groups that are named
FIRST = 3  # members that name one of them
VERBS = {"helps": ("helps", "help"), "hurts": ("hurts", "hurt")}
ORDER = ("helps", "harmless", "unclear", "hurts", "positive", "ambiguous", "negative")
HOW = {
    "trial": "Calls come from trials of every pair, both ways.",
    "none": "Calls come from trials of every pair, both ways, which can be asked for.",
    "paper": "Zones by the paper's rule.",
}


def matrix_answer(matrix: Matrix) -> Answer:
    """Return the answer of a matrix of scores."""
    groups, counts = groups_of(matrix), _counts(matrix)
    is_open = bool(matrix.are_apart.any()) or not counts or _is_open(counts)
    return Answer(
        tone="open" if is_open else "good",
        headline=_headline(matrix, groups),
        evidence=(_calls(matrix, counts), *_members(groups)),
        table=square_table(matrix),
        second=_calls_table(matrix),
        reasons=tuple(_hurting(matrix)),
        legend=(
            "Score: small means kin; 0 means that each predicts the other as well as itself.",
            *([] if len(matrix) <= SQUARE else ["Line: 95% interval of the score."]),
        ),
        caveats=tuple(_caveats(matrix, counts, groups)),
        notes=matrix.notes,
    )


def groups_of(square: Square) -> list[list[str]]:
    """Return the members of each cluster, in the order of their numbers."""
    members: dict[int, list[str]] = {}
    for name, cluster in square.clusters().items():
        members.setdefault(cluster, []).append(name)
    return list(members.values())


def _counts(matrix: Matrix) -> Counter[str]:
    """Count the calls of all ordered pairs; the paper's zones where its rule decided."""
    if matrix.shown == "zone":
        rows, columns = np.triu_indices(len(matrix), 1)
        return Counter(matrix.zones[i][j].value for i, j in zip(rows, columns, strict=True))
    words = map(str, matrix.calls.to_numpy().ravel())
    return Counter(word for word in words if word not in ("-", Zone.UNTRIED.call))


def _is_open(counts: Counter[str]) -> bool:
    return 2 * (counts["unclear"] + counts["ambiguous"]) > counts.total()


def _headline(matrix: Matrix, groups: list[list[str]]) -> str:
    n = len(matrix)
    if not matrix.are_apart.any():
        known = "is known to hurt" if matrix.shown == "call" else "is negative"
        if matrix.rule == NOT_TRIED:
            known = "is clearly apart by its score"
        return f"No pair of the {n} datasets {known}."
    if len(groups) == n:
        return f"Each of the {n} datasets stands alone."
    apart = "is apart" if has_untried(matrix) else "hurts"
    return f"The {n} datasets form {len(groups)} groups within which no pair {apart}."


def has_untried(matrix: Matrix) -> bool:
    """Return whether some pair has no call, one way or the other."""
    return any(zone is Zone.UNTRIED for row in matrix.zones for zone in row)


def _calls(matrix: Matrix, counts: Counter[str]) -> str:
    total = counts.total()
    if matrix.rule == NOT_TRIED:
        return "No pair was tried, so that none is called."
    if not total:
        return "No pair could be called."
    known = [word for word in ORDER if word in counts]
    said = enumerated((f"{counts[word]} {_verb(word, counts[word])}" for word in known), len(ORDER))
    if matrix.shown != "call":
        return f"Of {total:,} pairs {said}."
    n_pairs = len(matrix) * (len(matrix) - 1) // 2
    return f"Of {total:,} calls ({n_pairs:,} pairs, both ways) {said}."


def _calls_table(matrix: Matrix) -> AnswerTable | None:
    """Return the calls of a few datasets that were tried; rows are what is learned from."""
    if matrix.gains is None or len(matrix) > SQUARE:
        return None
    rows = [Row((name, *map(str, words))) for name, *words in matrix.calls.itertuples()]
    caption = "Calls, both ways; rows: the source, columns: the target:"
    return AnswerTable(("", *matrix.names), tuple(rows), caption=caption)


def _verb(word: str, n: int) -> str:
    one, several = VERBS.get(word, (f"is {word}", f"are {word}"))
    return one if n == 1 else several


def _hurting(matrix: Matrix) -> Iterator[str]:
    """Name the pairs that hurt."""
    if matrix.shown != "call":
        return
    pairs = np.argwhere(matrix.calls.to_numpy() == "hurts")
    for i, j in pairs[:HURTING]:
        yield f"{short(matrix.names[i])} hurts {short(matrix.names[j])}."
    if len(pairs) > HURTING:
        yield f"{len(pairs) - HURTING:,} more pairs hurt."


def _members(groups: list[list[str]]) -> Iterator[str]:
    """Name the groups, of which there are several, by their members."""
    joint = [members for members in groups if len(members) > 1]
    single = [members[0] for members in groups if len(members) == 1]
    if joint and groups[1:]:
        yield f"Together: {'; '.join(map(_in_a_group, joint[:LISTED]))}."
        if len(joint) > LISTED:
            yield f"{counted(len(joint) - LISTED, 'further group')}: see the table of members."
        if single:
            yield f"Alone: {named(single, 6, 'datasets')}."


def _in_a_group(members: list[str]) -> str:
    rest = len(members) - FIRST
    if rest <= 1:
        return named(members, FIRST + 1)
    return f"{', '.join(map(short, members[:FIRST]))} and {rest} others"


def square_table(square: Square) -> AnswerTable:
    """Return the square of a few datasets; of many, the closest pairs and the farthest."""
    if len(square) <= SQUARE:
        pairs = zip(square.names, square.scores.tolist(), strict=True)
        rows = [Row((name, *map(cell, map(float, values)))) for name, values in pairs]
        return AnswerTable(("", *square.names), tuple(rows), square.names)
    frame = square.frame.sort_values("score", kind="stable")
    records = frame.to_dict("records")
    ends = records if len(records) <= 2 * ENDS else [*records[:ENDS], *records[-ENDS:]]
    words = {"call": ("call", "call_back"), "zone": ("zone",)}.get(square.shown, ())
    has_interval = "low" in frame
    line = ["interval"] if has_interval else []
    titles = ["back" if word == "call_back" else word for word in words]
    rows = []
    for r in ends:
        found = [str(r[word]) for word in words]
        call = found[0] if square.shown == "call" else ""
        bar = Bar(r["score"], r["low"], r["high"]) if has_interval else None
        names = (str(r["target"]), str(r["source"]))
        rows.append(Row((*names, number(r["score"]), *[""] * len(line), *found), call, bar))
    whole = len(ends) == len(records)
    what = f"All {len(records)} pairs" if whole else "Closest and farthest pairs"
    return AnswerTable(
        ("target", "source", square.word, *line, *titles),
        tuple(rows),
        (square.word,),
        caption=f"{what}, the closest first:",
        bar_of="95% interval of the score" if has_interval else "",
        unit="",
    )


def _caveats(matrix: Matrix, counts: Counter[str], groups: list[list[str]]) -> Iterator[str]:
    is_untried = has_untried(matrix)
    if is_untried and matrix.rule != NOT_TRIED:
        yield "Calls come from trials."
    elif matrix.rule in HOW:
        yield HOW[matrix.rule]
    if is_untried:
        yield "A pair that was not tried is apart if its score reaches the paper's threshold."
    if _is_open(counts):
        word = "unclear" if matrix.shown == "call" else "ambiguous"
        yield f"Most pairs are {word}: being together is not proven."
    if 1 < len(groups) < len(matrix):
        what = ("be apart", "is") if is_untried else ("hurt each other", "does")
        yield f"Datasets of different groups need not {what[0]}: some pair between them {what[1]}."
    if not matrix.complete:
        yield "The run was interrupted: datasets are missing."
