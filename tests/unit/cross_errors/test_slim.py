"""Errors in little room say what the whole ones say; sums of earlier versions are read."""

from dataclasses import fields, make_dataclass

import numpy as np
import pytest

from datakin.cross_errors.files import read_parts, write_parts
from datakin.cross_errors.records import Errors
from datakin.cross_errors.sums import WaySums, slimmed

SIZES = ("full", "fold")


def errors(losses, failed=()):
    """Cross errors with five predictors without a fold, made from losses of shape (6, M + 2, n)."""
    losses[:, list(failed)] = np.nan
    n = losses.shape[-1]
    weights = np.full(n, 1 / n)
    rows = {"full": losses[0], "fold": np.mean(losses[1:], axis=0)}
    means = {"fold": np.column_stack([part @ weights for part in losses[1:]])}
    return Errors("a", "b", ("one", "two"), rows, means, weights, {"all": n, "fold": n - 1}, 0.5)


@pytest.mark.parametrize("failed", [(), (1,)])
@pytest.mark.parametrize("kind", ["counts", "numbers"])
def test_slim_errors_are_exact(kind, failed):
    rng = np.random.default_rng(1)
    losses = rng.random((6, 4, 70))
    whole = errors((losses < 0.3).astype(float) if kind == "counts" else losses, failed)
    slim = slimmed(whole, ("ensemble", "one"))
    assert slim.rows["fold"].dtype == (np.uint8 if kind == "counts" else float)
    for size in SIZES:
        for name in ("ensemble", "one"):
            np.testing.assert_array_equal(slim.row(size, name), whole.row(size, name))
            np.testing.assert_array_equal(slim.replicates(name), whole.replicates(name))
        for name in whole.names:
            np.testing.assert_array_equal(slim.mean(size, name), whole.mean(size, name))
    np.testing.assert_array_equal(slim.failed, whole.failed)
    assert (slim.n_folds, slim.has_inner, slim.least) == (5, False, 0.5)


@pytest.mark.parametrize("failed", ["one", "two"])
def test_losses_of_an_output_that_failed_stay_as_they_are(failed):
    rng = np.random.default_rng(2)
    whole = errors(rng.integers(0, 2, (6, 4, 70)).astype(float), [("one", "two").index(failed)])
    slim = slimmed(whole, ("ensemble", "one"))
    assert slim.rows["fold"].dtype == (float if failed == "one" else np.uint8)
    np.testing.assert_array_equal(slim.row("fold", "one"), whole.row("fold", "one"))


def way():
    rng = np.random.default_rng(3)
    own, curve, weights = rng.random(3), rng.random(11), rng.random(2)
    return WaySums(
        *("d0", "t", ("one", "two"), SIZES, "ensemble"),
        *(rng.random((2, 9)), rng.random((2, 2, 2)), own, curve, weights),
        ("one", "two"),
    )


def test_sums_of_earlier_versions_are_read(tmp_path):
    """They held numbers for the formula of the gain of pooling, in the middle of the others."""
    sums = way()
    names = [field.name for field in fields(sums)]
    at = names.index("curve") + 1
    made = make_dataclass("WaySums", [*names[:at], "learner", "outlook", *names[at:]])
    held = {name: getattr(sums, name) for name in names}
    write_parts(tmp_path / "t.parquet", [("way", made(**held, learner="one", outlook=np.ones(9)))])
    found = read_parts(tmp_path / "t.parquet").part(0)
    for name in names:
        np.testing.assert_array_equal(getattr(found, name), held[name])
