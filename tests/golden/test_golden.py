"""Today's numbers and texts are the recorded ones."""

import pytest

from tests.golden.__main__ import TEXTS, chosen, chosen_texts, run, stored, stored_text
from tests.golden.calls import DEEP, HAS_TORCH, STORED
from tests.golden.fields import Tolerance, differences, flatten
from tests.golden.learned import LEARNED
from tests.golden.refusals import REFUSED
from tests.golden.words import ELSEWHERE, HERE, changes

MOST_ALLOWED = 0.01  # share of fields that a row on a boundary may explain


def check(names):
    """Compare calls with the record; a handful of fields may differ by one row's error."""
    old, new = stored(names), run(names)
    wrong, allowed, n_fields = [], [], 0
    for name in names:
        tolerance = Tolerance(old[name])
        found = differences(name, old[name], new[name])
        n_fields += len(found)
        moved = [field for field in found if not tolerance.is_met(field)]
        # A number made of errors may move only where an error of the same call moved by a row.
        has_cause = any(tolerance.is_error(field) and tolerance.allows(field) for field in moved)
        for field in moved:
            (allowed if has_cause and tolerance.allows(field) else wrong).append(field)
    assert not wrong, f"{len(wrong)} of {n_fields} fields:\n" + "\n".join(map(str, wrong[:40]))
    assert len(allowed) <= MOST_ALLOWED * n_fields, "\n".join(map(str, allowed[:40]))


def test_the_record_is_whole():
    trees = stored()
    assert set(trees) == set(STORED)
    assert len(trees) >= 200
    assert sum(1 for tree in trees.values() for _ in flatten(tree)) >= 30_000


def parts(names):
    """Return names in lists of neighbours, which can be checked side by side."""
    return [names[k : k + 12] for k in range(0, len(names), 12)]


@pytest.mark.parametrize(
    "names", parts([n for n in STORED if n not in DEEP and n not in LEARNED]), ids=lambda n: n[0]
)
def test_the_numbers_of_tables_are_the_recorded_ones(names):
    check(names)


@pytest.mark.parametrize("names", parts([*LEARNED]), ids=lambda n: n[0])
def test_the_numbers_of_choices_and_explanations_are_the_recorded_ones(names):
    check(names)


@pytest.mark.parametrize("name", chosen_texts("*"))
def test_the_text_is_the_recorded_one(name):
    different = changes(stored_text(name), chosen_texts(name)[name](), ELSEWHERE)
    assert not different, "\n".join(different[:40])


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed (pip install '.[deep]')")
def test_the_numbers_of_encoder_and_head_are_the_recorded_ones():
    check(list(DEEP))


def test_a_changed_number_is_found():
    (name, tree), *_ = stored(["binary"]).items()
    moved = {**tree, "score": tree["score"] + 1e-5, "zone": "positive"}
    found = [d for d in differences(name, tree, moved) if not Tolerance(tree).is_met(d)]
    assert {d.path for d in found} == {"score", "zone"}
    assert [Tolerance(tree).allows(d) for d in found] == [d.path == "score" for d in found]
    gone = {key: value for key, value in tree.items() if key != "score"}
    assert [d.path for d in differences(name, tree, gone) if d.size > 0] == ["score"]


def test_all_calls_can_be_chosen():
    assert set(chosen("size_*")) == {
        "size_paper",
        "size_limit",
        "size_paper_four",
        "size_limit_regression",
    }


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed (pip install '.[deep]')")
def test_the_record_of_texts_is_whole():
    assert {file.stem for file in TEXTS.glob("*.txt")} == set(chosen_texts("*"))
    assert REFUSED >= 400


TEXT = 'Error: 12.3% (1,204 rows).\n{"error": 0.123456789, "name": "a1"}'


@pytest.mark.parametrize(
    ("old", "new", "here", "elsewhere"),
    [
        ("0.123456789", "0.12345678901", True, True),
        ("0.123456789", "0.12345680", False, True),
        ("0.123456789", "0.1235", False, False),
        ("12.3%", "12.4%", False, True),
        ("12.3%", "12.5%", False, False),
        ("1,204", "1,205", False, True),
        ("a1", "a2", False, False),
        ("Error", "error", False, False),
        ("12.3% (", "12.3%  (", False, True),
    ],
)
def test_changed_texts_are_found(old, new, here, elsewhere):
    changed = TEXT.replace(old, new)
    assert (not changes(TEXT, changed, HERE)) == here
    assert (not changes(TEXT, changed, ELSEWHERE)) == elsewhere
