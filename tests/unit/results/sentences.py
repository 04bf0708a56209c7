"""What every sentence of an answer is held to: its length, its spelling, and that no number differs."""

import re
from collections import defaultdict

MOST_WORDS = 30
# Names of methods and models are words of the command line, too.
KNOWN = {
    "kin_stack",
    "kin_weighted",
    "dynamic_tradaboost",
    "tradaboost_r2",
    "rbf_svm",
    "linear_svm",
}
CODE = re.compile(
    r"\b\w+=|\w\(\)|`|\b[a-z]+_[a-z_]+\b|\[['\"]|\{['\"]|\b(True|False|None|nan|inf)\b|(?<![\w.])\.[a-z_]+\b"
)
NUMBER = r"(-?[\d.,]*\d%?)"
REACH = r"(-?[\d.,]*\d to -?[\d.,]*\d%?)"
SURE = r"((?:more|less) than \d+%|[\d.]+%)"


def parts(text):
    """Split a text into its sentences."""
    return [part for part in re.split(r"(?<=[.!?]) +(?=[A-Z*])", text) if part.strip()]


def check_form(answer):
    """Check that sentences are short, end as sentences do, and are free of code."""
    for text in (
        answer.headline,
        *answer.evidence,
        *answer.reasons,
        *answer.legend,
        *answer.caveats,
        *(each.text for each in answer.remedies),
    ):
        assert text == text.strip(), text
        assert text[-1] in ".!?", text
        for part in parts(text):
            assert len(part.split()) <= MOST_WORDS, part
            found = {m.group(0) for m in CODE.finditer(part)} - KNOWN
            assert not found, (part, found)
    assert len(set(sentences_of(answer))) == len(sentences_of(answer)), "a sentence is said twice"
    assert "and 1 more" not in answer.headline
    assert " more." not in answer.headline
    for table in filter(None, (answer.table, answer.second)):
        assert len(table.columns) <= 7, table.columns
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
        assert max(map(len, table.lines(80))) <= 80, max(table.lines(80), key=len)


def sentences_of(answer):
    """Return all sentences, in the order in which they are shown."""
    first = (answer.headline, *answer.evidence, *answer.reasons)
    last = (*answer.legend, *answer.caveats, *answer.notes)
    return (*first, *(each.text for each in answer.remedies), *last)


def quantities(answer, target):
    """Return every quantity of a choice's answer with all the values that sentences give it."""
    alone = rf"{re.escape(target)} alone"
    patterns = {
        "error": [rf"[Ee]xpected [a-zA-Z ]+?: {NUMBER} \(90% interval"],
        "interval": [rf"[Ee]xpected [a-zA-Z ]+?: {NUMBER} \(90% interval {REACH}\)"],
        "alone": [rf"(?:against|;) {NUMBER} with {alone}"],
        "p_gain": [rf"probability of a fall {SURE}\)"],
        "gain": [rf"should fall by {NUMBER} \((?:its root by [^;]+; )?90%"],
        "gain interval": [
            rf"should (?:not )?fall[^(]*\((?:its root by [^;]+; )?90% interval {REACH};"
        ],
        "pool": [rf"Everything in one pool[^:]*: [a-zA-Z ]+? {NUMBER}[,.]"],
    }
    found = defaultdict(set)
    for text in sentences_of(answer):
        for name, several in patterns.items():
            for pattern in several:
                for match in re.finditer(pattern, text):
                    found[name].add(match.groups()[-1])
    return found


def check_numbers(answer, target):
    """Check that no quantity has two values."""
    for name, values in quantities(answer, target).items():
        assert len(values) == 1, (name, values, answer.text())


def check_reasons(answer):
    """Check that the reason of a call has the number that stands in the table."""
    table = answer.table
    if table is None or "gain" not in table.columns or "call" not in table.columns:
        return
    k = table.columns.index("gain")
    for row in table.rows:
        rises = [r for r in answer.reasons if r.startswith(f"{row.cells[0]} hurts: ")]
        if row.call == "hurts" and rises:
            (size,) = re.findall(r"rises by ([\d.]+%)", rises[0])
            assert row.cells[k] == f"-{size}*", (row.cells, rises)
        told = [r for r in answer.reasons if r.startswith(f"{row.cells[0]} is {row.call}")]
        if row.call in ("harmless", "unclear") and answer.reasons:
            assert told, (row.cells, answer.reasons)
