"""What first users stumbled over, kept from coming back."""

import warnings

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import DatakinError, DatakinWarning, matrix, rank, read_table, read_tables, score

FAST = {"models": ["logistic"]}


def frame(seed=0, n=60, **columns):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"a": rng.standard_normal(n), "b": rng.standard_normal(n)})
    table["y"] = (table["a"] + 0.5 * rng.standard_normal(n) > 0).astype(int)
    return table.assign(**columns)


def test_binary_here_and_a_quantity_there_read_together():
    tables = {"classes": frame(0), "quantity": frame(1, y=np.arange(60) / 7)}
    with pytest.raises(DatakinError, match=r"same task.*'classes' has two classes.*task"):
        read_tables(tables, label="y")
    both = read_tables(tables, label="y", task="regression")
    assert {d.task for d in both.values()} == {"regression"}


def test_zero_one_here_and_one_two_there_is_another_coding():
    one, other = frame(0), frame(1)
    other["y"] += 1
    with pytest.raises(DatakinError, match=r"same codes.*'0', '1'.*'1', '2'.*--recode s::y:1=0"):
        score(read_table(one, label="y", name="t"), read_table(other, label="y", name="s"))


def test_one_mapping_serves_tables_in_both_codings():
    words = frame(1)
    words["y"] = np.where(words["y"] == 1, "yes", "no")
    both = read_tables({"t": frame(0), "s": words}, label="y", label_map={"yes": 1, "no": 0})
    assert both["t"].classes == both["s"].classes == ("0", "1")
    again = read_tables({"t": frame(0), "s": words}, label="y", positive=["yes", 1])
    assert (again["s"].y == both["s"].y).all()


def test_codes_of_the_dataset_are_named():
    """A region's finer code has no value in common with another region's."""
    one, other = frame(0, code=np.arange(60) % 3), frame(1, code=10 + np.arange(60) % 3)
    with pytest.warns(DatakinWarning, match="no value in common.*'code'"):
        score(read_table(one, label="y", name="t"), read_table(other, label="y", name="s"), **FAST)


def test_domains_that_cannot_be_used_are_left_out_and_named():
    table = pd.concat([frame(0, site="a"), frame(1, site="b"), frame(2, 12, site="tiny")])
    table = pd.concat([table, frame(3, 30, site="one class", y=1)])
    with pytest.warns(DatakinWarning, match=r"2 of 4 values of 'site' were left out.*'tiny'"):
        found = read_tables(table, label="y", domain="site")
    assert sorted(found) == ["a", "b"]


def test_datasets_without_enough_rows_of_a_class_are_named_all_at_once_or_skipped():
    poor = {
        f"poor {i}": read_table(frame(i, y=[1] * 3 + [0] * 57), label="y", name=f"poor {i}")
        for i in (1, 2)
    }
    target = read_table(frame(9), label="y", name="target")
    good = read_table(frame(8), label="y", name="good")
    with pytest.raises(DatakinError, match=r"at least 5 rows.*2 datasets: 'poor 1', 'poor 2'"):
        rank(target, {**poor, "good": good}, **FAST)
    with pytest.warns(DatakinWarning, match="2 dataset.s. left out: 'poor 1', 'poor 2'"):
        ranking = rank(target, {**poor, "good": good}, skip_unusable=True, **FAST)
    assert [c.source for c in ranking] == ["good"]
    with pytest.warns(DatakinWarning, match="left out"):
        square = matrix({**poor, "good": good, "target": target}, skip_unusable=True, **FAST)
    assert square.names == ("good", "target")
    with pytest.raises(DatakinError, match="at least 5 rows"):
        rank(poor["poor 1"], {"good": good}, skip_unusable=True, **FAST)


def test_copies_of_rows_are_spoken_of():
    with pytest.warns(DatakinWarning, match="180 of 180 rows have a copy"):
        read_table(pd.concat([frame(0)] * 3), label="y")


def test_label_given_to_score_is_explained():
    with pytest.raises(DatakinError, match=r"'label' belongs to reading: datakin\.read_table"):
        score(frame(0), frame(1), label="y")


def test_unknown_source_of_a_ranking_lists_the_known_ones():
    target, good = (read_table(frame(i), label="y", name=n) for i, n in ((9, "t"), (8, "good")))
    ranking = rank(target, [good], **FAST)
    with pytest.raises(KeyError, match="'good'"):
        ranking["bad"]


def test_json_objects_can_be_read_by_other_programs():
    import json

    target, good = (read_table(frame(i), label="y", name=n) for i, n in ((9, "type"), (8, "good")))
    comparison = score(target, good, **FAST)
    plain = json.loads(comparison.to_json())
    assert plain["model_scores"] == comparison.model_scores
    assert plain["sizes"]["matched"]["value"] == comparison.sizes["matched"].value
    assert datakin.from_json(comparison.to_json()) == comparison  # even for a dataset called "type"


def test_a_large_matrix_prints_pairs_instead_of_a_square():
    datasets = {f"d{i}": read_table(frame(i, 40), label="y", name=f"d{i}") for i in range(11)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        text = str(matrix(datasets, cv=3, **FAST))
    assert text.startswith("No pair of the 11 datasets is clearly apart by its score.")
    assert "Closest and farthest pairs, the closest first:" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("width", [80, 140])
def test_ranking_on_a_terminal_is_whole(width):
    from datakin.cli.showing import shown_text

    target = read_table(frame(9), label="y", name="t")
    ranking = rank(target, [read_table(frame(8), label="y", name="a source of 20 char")], **FAST)
    lines = shown_text(ranking, width).splitlines()
    assert any("a source of 20 char" in line and ranking.best.call in line for line in lines)
    assert max(map(len, lines)) <= width
    details = shown_text(ranking, width, details=True)
    assert all(name in details for name in ranking.frame.columns)
