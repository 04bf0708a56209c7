"""Faults are put where they are meant to be, and nowhere else."""

import ast
import random
from types import SimpleNamespace

import pytest

from benchmarks.faults import CAPABILITIES, drawn, rates
from benchmarks.injection.fault_calls import CALLS
from benchmarks.injection.operators import OPERATORS, is_other, sites

SOURCE = '''
"""Text of 1 module."""

LIMIT = 3


class Box:
    """A box."""

    size: int = 2

    def fill(self, rows, n: int = 1) -> float:
        """Say 1 + 1."""
        if not rows:
            return None
        rows.append(n)
        if len(rows) > 10 and n:
            raise ValueError(f"{n + 1} is too much" + "é" * 2)

        def inner(x):
            return max(x, n) + 0.5

        return inner(rows.sum(axis=0)) if True else "é" + rows
'''.encode()


def found():
    return sites(SOURCE, set(range(1, 100)))


def of(operator):
    return [
        (site.function, site.before, site.after) for site in found() if site.operator == operator
    ]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("comparison", [("Box.fill", "len(rows) > 10", "(len(rows) >= 10)")]),
        (
            "constant",
            [
                ("Box.fill", "10", "11"),
                ("Box.fill", "0", "1"),
                ("Box.fill.<locals>.inner", "0.5", "1.0"),
            ],
        ),
        ("truth", [("Box.fill", "True", "False")]),
        ("arithmetic", [("Box.fill.<locals>.inner", "max(x, n) + 0.5", "(max(x, n) - 0.5)")]),
        ("negation", [("Box.fill", "not rows", "(rows)")]),
        ("connection", [("Box.fill", "len(rows) > 10 and n", "(len(rows) > 10 or n)")]),
        ("arguments", [("Box.fill.<locals>.inner", "max(x, n)", "max(n, x)")]),
        ("extreme", [("Box.fill.<locals>.inner", "max(x, n)", "min(x, n)")]),
        ("axis", [("Box.fill", "rows.sum(axis=0)", "rows.sum(axis=1)")]),
        ("statement", [("Box.fill", "rows.append(n)", "pass")]),
    ],
)
def test_an_operator_changes_what_it_is_for(operator, expected):
    assert sorted(of(operator)) == sorted(expected)


def test_returns_and_guards():
    assert [after for _, _, after in of("returned")] == ["return None", "return None"]
    assert [before.split(":")[0] for _, before, _ in of("guard")] == [
        "if not rows",
        "if len(rows) > 10 and n",
    ]


def test_a_fault_is_one_change_of_code_that_runs():
    for site in found():
        assert is_other(site, SOURCE)
        changed = site.applied(SOURCE)
        assert changed[: site.start] == SOURCE[: site.start]
        assert changed.endswith(SOURCE[site.end :])
        ast.parse(changed)
    assert {site.operator for site in found()} == {*OPERATORS}
    assert {site.line for site in sites(SOURCE, {1, 4, 14})} == {14}


def test_the_same_seed_draws_the_same_faults(tmp_path):
    path = tmp_path / "box.py"
    path.write_bytes(
        b"\n\n".join(b"def f%d(x, y):\n    return max(x, y) + %d" % (k, k) for k in range(9))
    )
    suite = SimpleNamespace(package=tmp_path)
    everything = [("box.py", site) for site in sites(path.read_bytes(), set(range(99)))]
    one, two, other = (drawn(suite, [*everything], 5, seed) for seed in ("a", "a", "b"))
    assert one == two != other
    assert len({site.function for _, site in one}) == 5
    assert len({site.operator for _, site in one}) >= 4
    shuffled = [*everything]
    random.Random(0).shuffle(shuffled)
    assert len(drawn(suite, shuffled, 50, "a")) == 9, "one for each function"


def test_rates():
    verdicts = ["caught", "caught", "survived", "equivalent-looking"]
    table = rates([{"capability": "rank", "verdict": each} for each in verdicts])
    assert table["rank"]["rate"] == table["all"]["rate"] == 0.667
    assert table["rank"]["rate_of_all"] == 0.5
    assert table["door"]["rate"] is None
    assert set(CALLS) == set(CAPABILITIES)
