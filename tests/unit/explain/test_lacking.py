"""A column that one table hardly has is named, with the side that lacks it; and whose shares differ."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from datakin.explaining.suspects import lacking_columns, other_codes
from tests.unit.explain.spoiled import add_up, excess_of, explained, frames, options_of, read
from tests.unit.results.sentences import check_form


def table(seed, n, *, missing=0.0, level=0.0):
    """Rows whose label hangs on a count, which is 0 for most of them, and on a number."""
    rng = np.random.default_rng(seed)
    count, other = rng.poisson(0.6, n).astype(float), rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(1.2 - level - 2.0 * count - other))
    count[rng.random(n) < missing] = np.nan
    return pd.DataFrame({"count": count, "other": other, "y": np.where(y, "ill", "well")})


@cache
def lacking(side):
    shares = {"target": (0.97, 0.0), "source": (0.0, 0.97)}[side]
    tables = [table(k, n, missing=m) for k, n, m in zip((0, 1), (300, 600), shares, strict=True)]
    return (*tables, explained(*tables))


@pytest.mark.parametrize("side", ["target", "source"])
def test_the_column_and_who_lacks_it_are_named(side):
    found = lacking(side)[2]
    name = {"target": "mine", "source": "theirs"}[side]
    assert found.causes[0] == "lacking"
    assert found.answer.headline.endswith(f"because {name} hardly has count.")
    mend = next(each for each in found.mends if each.cause == "lacking")
    assert (mend.table, mend.columns, mend.part) == (name, ("count",), "coding")
    assert found.answer.reasons[0] == mend.seen
    assert any("target is mended, too" in text for text in found.answer.caveats)
    add_up(found)
    check_form(found.answer)


def test_what_the_target_lacks_is_left_out():
    target, source, found = lacking("target")
    mend = found.mends[0]
    assert mend.seen.endswith(": what is learned on theirs relies on it.")
    assert mend.typed == "--ignore count"
    assert found.answer.remedies[0].text.startswith("Compare without count: the excess of the loss")
    again = excess_of(target, source, **options_of(mend))
    assert again == pytest.approx(mend.after, rel=1e-9, abs=1e-12)
    assert mend.after < 0.3 * mend.before


def test_what_the_source_lacks_is_not_left_out():
    """It is of use in the target: without it, both predictors lose."""
    found = lacking("source")[2]
    mend = found.mends[0]
    assert mend.seen.endswith(": theirs tells little of its effect.")
    assert (mend.typed, mend.python) == ("", "")
    assert found.answer.remedies[0].text.startswith(
        "Use choose: it learns the effect of count on rows of the target. Compared without count: the excess"
    )
    assert found.steps[1].loss > 0.95 * found.steps[0].loss


@pytest.mark.parametrize(
    ("here", "there", "n"), [(0.97, 0.9, 0), (0.7, 0.0, 0), (0.0, 0.7, 0), (0.9, 0.4, 1)]
)
def test_both_must_be_clear(here, there, n):
    tables = read(table(0, 300, missing=here), table(1, 300, missing=there))
    assert len(list(lacking_columns(*tables))) == n


def test_levels_count_too_and_the_most_uneven_comes_first():
    target, source = frames("nothing")
    rng = np.random.default_rng(0)
    source = source.assign(e=source["e"].where(rng.random(len(source)) < 0.15))
    source["a"] = source["a"].where(rng.random(len(source)) < 0.02)
    found = list(lacking_columns(*read(target, source)))
    assert [each.columns for each in found] == [("a", "e"), ("a",), ("e",)]


def asked_together(seed, n, missing):
    """Rows of which most were asked none of three questions, above all the well ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = rng.random(n) < 1 / (1 + np.exp(-X @ [1.0, 1.0, 1.0, 0.7]))
    unasked = rng.random(n) < np.where(y, 2 * missing - 1, 1.0) if missing else np.zeros(n, bool)
    X[:, :3][unasked] = np.nan
    return pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(y=np.where(y, "ill", "well"))


def test_columns_that_go_together_are_left_out_together():
    target, source = asked_together(0, 300, 0.0), asked_together(1, 600, 0.85)
    found = explained(target, source)
    assert found.causes[0] == "lacking"
    assert sorted(found.mends[0].columns) == ["a", "b", "c"]
    assert found.answer.headline.endswith("because theirs hardly has a, b and c.")
    assert found.answer.reasons[0] == (
        "a, b and c are mostly missing in theirs and not in mine: theirs tells little of their effects."
    )
    check_form(found.answer)
    first = next(iter(lacking_columns(*read(source, target))))
    assert sorted(first.columns) == ["a", "b", "c"]
    assert first.typed.count("--ignore") == 3


def test_columns_that_the_source_does_not_have_are_no_other_rule():
    target, source = table(0, 300), table(1, 600).drop(columns="count")
    found = explained(target, source)
    assert found.causes == ("lacking",)
    assert found.mends[0].seen == "theirs has no count: theirs tells little of its effect."
    assert found.mends[0].typed == ""
    check_form(found.answer)


def test_a_column_under_another_name_is_not_lacking():
    target, source = table(0, 300), table(1, 600).rename(columns={"count": "Count "})
    found = explained(target, source)
    assert found.causes == ("names",)
    assert found.mends[0].typed == "--rename theirs::Count=count"
    odd = explained(target, table(1, 600).rename(columns={"count": "v17"}))
    assert odd.causes == ("names",)
    assert odd.mends[0].typed == "--rename theirs::v17=count"
    check_form(odd.answer)


def test_one_column_alone_is_not_left_out():
    target, source = (table(k, 300, missing=m)[["count", "y"]] for k, m in ((0, 0.0), (1, 0.95)))
    assert list(lacking_columns(*read(target, source))) == []


def test_levels_are_not_compared_where_most_rows_have_none():
    """Rows with a value may be other ones than those without."""
    target, source = frames("codes")
    assert list(other_codes(*read(target, source)))
    column = next(iter(other_codes(*read(target, source)))).columns[0]
    few = source.assign(**{column: source[column].where(np.arange(len(source)) % 5 < 2)})
    assert list(other_codes(*read(target, few))) == []


# Base rates: the shares of the classes, and what is expected of features that lie elsewhere


def test_the_sentence_on_base_rates_has_all_three_shares():
    target, source = table(0, 300), table(1, 600, level=1.5)
    found = explained(target, source)
    assert found.causes == ("base rate",)
    assert found.is_of_labels
    shares = [100 * (each["y"] == "well").mean() for each in (target, source)]
    assert found.in_source == pytest.approx(shares[1] / 100, abs=1e-12)
    said = found.answer.reasons[0]
    assert f"{shares[0]:.0f}% of mine are 'well'" in said
    assert said.endswith(f"; of theirs itself {shares[1]:.0f}% are.")
    assert found.answer.headline.endswith("because the base rate differs.")


def test_shares_that_point_the_other_way_are_not_blamed():
    """Rows with higher counts are ill more often there; yet at the same counts, fewer are."""
    rng = np.random.default_rng(0)

    def make(n, moved, level):
        x = rng.normal(size=n) + moved
        y = rng.random(n) < 1 / (1 + np.exp(-level - 1.5 * x))
        return pd.DataFrame({"x": x, "z": rng.normal(size=n), "y": np.where(y, "yes", "no")})

    found = explained(make(400, 0.0, 0.0), make(800, 1.2, -1.4))
    assert found.causes[0] == "base rate"
    assert found.in_source > found.observed > found.expected
    assert not found.is_of_labels
    assert found.answer.headline.endswith("because it expects too few 'yes' there.")
    assert found.answer.reasons[0].endswith("So the classes' own shares are not the reason.")
    assert [each.typed for each in found.answer.remedies] == [""]  # nor are they to be matched
    check_form(found.answer)


def test_means_of_numbers_are_told():
    target, source = frames("base rate", 0, "numbers")
    found = explained(target, source)
    said = next(text for text in found.answer.reasons if text.startswith("Level"))
    assert found.in_source == pytest.approx(source["y"].mean())
    assert "(means " in said
