"""The deep studies: honest draws, right arithmetic, pages that say what was found."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")

from datakin import DatakinError
from reproduction.canines import N_DOGS, N_WOLVES, PAIRINGS, draw_target
from reproduction.digits import ALONE, NAMES, PUBLISHED, read_digits
from reproduction.repair import (
    KINDS,
    N_SOURCE,
    N_TARGET,
    N_TEST,
    change,
    draw_rows,
)
from reproduction.studies import STUDIES


def test_repair_changes_the_features_or_the_labels_and_nothing_else():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 1, 4, 4)), np.arange(40) % 10
    changed = {kind: change(X, y, kind, 3) for kind in KINDS}
    np.testing.assert_array_equal(changed["upright"][0], X)
    np.testing.assert_array_equal(changed["negative"][0], 1 - X)
    np.testing.assert_array_equal(changed["turned"][0][:, 0, 0], X[:, 0, :, -1])
    np.testing.assert_array_equal(changed["mirrored"][0][:, 0, :, 0], X[:, 0, :, -1])
    permuted = changed["permuted"][0].reshape(40, 16)
    moved = [int(np.flatnonzero(X.reshape(40, 16)[0] == value)[0]) for value in permuted[0]]
    assert sorted(moved) == list(range(16))
    np.testing.assert_array_equal(permuted, X.reshape(40, 16)[:, moved])
    assert (changed["random labels"][1] != y).mean() > 0.7
    for kind in KINDS[:5]:
        np.testing.assert_array_equal(changed[kind][1], y)


def test_repair_draws_disjoint_rows():
    y = np.random.default_rng(0).integers(0, 10, 9000)
    target, source, test = draw_rows(y, 1)
    assert np.bincount(y[target]).tolist() == [N_TARGET // 10] * 10
    assert (len(source), len(test)) == (N_SOURCE, N_TEST)
    assert len(np.unique(np.concatenate([target, source, test]))) == N_TARGET + N_SOURCE + N_TEST


def test_the_canine_target_shares_no_near_duplicate_with_its_source():
    labels = np.array(["dogs"] * 1000 + ["wolves"] * 998)
    groups = np.arange(1998)
    groups[1000:1200:2] = groups[1001:1200:2]
    target, source = draw_target(labels, groups, 0)
    assert not set(target) & set(source)
    assert not set(groups[target]) & set(groups[source])
    counts = [(labels[target] == name).sum() for name in ("dogs", "wolves")]
    assert counts == [N_DOGS, N_WOLVES]
    assert len({(labels[source] == name).sum() for name in ("dogs", "wolves")}) == 1, "balanced"
    assert (draw_target(labels, groups, 0)[0] == target).all()


def test_both_pairings_of_unlike_classes_are_studied():
    assert [len(found) for found in PAIRINGS.values()] == [1, 2, 2]
    for first, second in (PAIRINGS["cats_dogs"], PAIRINGS["horses_giraffes"]):
        assert set(first) == set(second)
        assert all(first[name] != second[name] for name in first)


def test_digits_without_the_data(monkeypatch, tmp_path):
    monkeypatch.setenv("DATAKIN_DATA", str(tmp_path))
    with pytest.raises(DatakinError, match="Say in DATAKIN_DATA which folder holds digits/"):
        read_digits("USPS", 100, 0)


def repair_rows():
    rows = []
    for seed in range(4):
        for kind in KINDS:
            lost = kind == "random labels"
            rows.append(
                {
                    "source": kind, "seed": seed, "plain": 0.0 if kind == "upright" else 0.8,
                    "plain_zone": "AZ" if kind == "upright" else "NT",
                    "encoder_head": 0.4 if lost else 0.01 * seed,
                    "low": 0.0, "high": 0.1, "zone": "NT" if lost else "AZ",
                    "source_to_target": 0.02, "error_alone": 0.2 + 0.01 * seed,
                    "error_fine_tuned": 0.21 if lost else 0.1 + 0.011 * seed,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def test_repair_page():
    study = STUDIES["repair"]
    summary = study.summarise(repair_rows())
    turned = summary.frame.set_index("source").loc["turned"]
    assert turned["target_rer"] == pytest.approx(1 - np.mean([0.1, 0.111, 0.122, 0.133]) / 0.215)
    assert turned["encoder_head"] == pytest.approx(0.015)
    assert "more than two standard errors: turned, mirrored, negative, permuted." in summary.text
    assert (
        "does not say negative: none. It helps though the score says negative: none" in summary.text
    )
    assert study.draw is not None
    assert len(study.draw(summary.frame).axes) == 2


def digits_rows():
    rows = []
    for k, (target, source) in enumerate(
        [("MNIST", "USPS"), ("MNIST", "optdigits"), ("USPS", "optdigits")]
    ):
        for seed in range(2):
            base = {"target": target, "source": source, "seed": seed, "seconds": 30.0}
            rows.append({**base, "measure": "score", "score": 0.1 * (3 - k) + 0.02 * k * seed,
                         "zone": "AZ", "score_se": 0.5,
                         "source_to_target": 0.1, "target_to_source": 0.2})  # fmt: skip
            rows.append({**base, "measure": "gain", "target_rer": 0.1 * k, "source_rer": 0.1 * k,
                         "average_rer": 0.1 * k + 0.04 * k * seed, "average_rer_se": 0.05})  # fmt: skip
    for source, target in permutations(NAMES, 2):
        for measure, is_framed in ALONE.items():
            right = PUBLISHED.get((source, target), 0.6) - (0.1 if is_framed else 0.2)
            rows.append({"target": target, "source": source, "seed": 0, "seconds": 3.0,
                         "measure": measure, "accuracy": right})  # fmt: skip
    return pd.DataFrame(rows)


def test_digits_page():
    study = STUDIES["digits"]
    summary = study.summarise(digits_rows())
    assert summary.frame["score"].is_monotonic_increasing
    order = "USPS/optdigits, MNIST/optdigits, MNIST/USPS"
    # Neighbours are .10 and .08 (.10 and .14) apart: .09 and a standard error of .01 (.12 and .02).
    assert f"closest first: {order} (steps of 9.0 and 9.0 standard errors)" in summary.text
    assert f"largest first: {order} (steps of 6.0 and 6.0). The two orders agree" in summary.text
    assert "none of the pairs called negative, and not all gain by transfer" in summary.text
    assert "| MNIST | USPS | 0.840 | 0.740 | 0.9400 |" in summary.text
    assert "| USPS | optdigits | 0.500 | 0.400 |  |" in summary.text
    assert study.draw is not None
    assert len(study.draw(summary.frame).axes) == 2


def canine_rows():
    study, rows = STUDIES["canines"], []
    for cell in study.cells:
        near = cell["source"] == "dogs_wolves"
        row = {**cell, "seed": 0, "n_target": 606, "n_source": 400}
        if cell["measure"] == "gain":
            row |= {"target_rer": 5.0, "target_rer_se": 1.0, "source_rer": -3.0, "source_rer_se": 2.0,
                    "average_rer": 1.0}  # fmt: skip
        else:
            row |= {"classes": str(cell["pairing"]), "score": 0.01 if near else 0.4, "low": 0.0,
                    "high": 0.5, "zone": "AZ" if near else "NT", "threshold": 0.05,
                    "source_to_target": 0.1, "target_to_source": 0.1, "own_target": 0.03,
                    "own_source": 0.03}  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows)


def test_canines_page():
    study = STUDIES["canines"]
    summary = study.summarise(canine_rows())
    assert len(summary.frame) == 3 * 5
    assert summary.text.count("the control is closest") == 3
    assert "| +5.0 (1.0) | -3.0 (2.0) | +1.0 | +5.0, -11.0, -3.0 | AZ |" in summary.text
    assert study.draw is not None
    assert len(study.draw(summary.frame).axes) == 1
