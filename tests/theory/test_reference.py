"""datakin.score against a plain reference of algorithms 1 and 2, on the same folds, to rounding.

Both sides leave support vector machines to libsvm; the quicker fitters, which go nearer to the
optimum than libsvm does, have their own tests. The reference fits XGBoost on the numbers themselves, so
equality also proves that the engine's ranks lose nothing. Sizes are no multiples of K: a mean over
rows is not a mean of fold means.
"""

from functools import cache

import numpy as np
import pytest

from datakin import as_dataset, score
from datakin.learners.fitters import GenericFitter, start_fitter
from datakin.learners.folds import make_plan
from datakin.learners.svm import RadialSVMFitter
from datakin.paper.models import LinearSVMFitter

TASKS = ("binary", "classes", "regression")
SIZES = ("paper", "matched", "limit")
FAST = {True: ("logistic", "linear_svm", "rbf_svm"), False: ("linear", "linear_svm", "rbf_svm")}
N_ROWS = {"target": 143, "source": 122}


def draw(task, name):
    """Four columns, one with ties; the source's rule is turned against the target's."""
    rng = np.random.default_rng([TASKS.index(task), N_ROWS[name]])
    n = N_ROWS[name]
    X = rng.standard_normal((n, 4))
    X[:, 2] = np.round(X[:, 2], 1)
    turn = 0.0 if name == "target" else 0.6
    first = X[:, 0] * np.cos(turn) + X[:, 1] * np.sin(turn) + 0.3 * X[:, 2] ** 2
    second = X[:, 1] * np.cos(turn) - X[:, 0] * np.sin(turn) + 0.3 * X[:, 3]
    noise = rng.standard_normal((2, n))
    if task == "regression":
        return X, 3.0 * first + np.sin(2 * X[:, 3]) + noise[0]
    y = (first + 0.7 * noise[0] > 0.2).astype(int)
    return X, y if task == "binary" else 2 * y + (second + 0.7 * noise[1] > 0)


@cache
def datasets(task):
    kind = {"classes": "multiclass"}.get(task, task)
    return tuple(
        as_dataset(*draw(task, name), name=name, task=kind) for name in ("target", "source")
    )


@pytest.fixture(scope="module", autouse=True)
def machines_by_libsvm():
    def start(model, backend, is_sparse):
        if backend in (LinearSVMFitter, RadialSVMFitter):
            return GenericFitter(model)
        return start_fitter(model, backend, is_sparse)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("datakin.learners.engine.start_fitter", start)
        yield


@cache
def engine(task, inner, cv, **options):
    return score(*datasets(task), models="paper", inner=inner, cv=cv, **options)


@pytest.fixture(scope="module")
def readers(reference):
    """The reference's view of both datasets; fits are made once per task and kind of folds."""

    @cache
    def fit(task, inner, cv):
        found = []
        for dataset in datasets(task):
            X, y = draw(task, dataset.name)
            plan = make_plan(dataset, cv, inner, random_state=0)
            parts = [[f for j, f in enumerate(plan.folds) if j != k] for k in range(cv)]
            if inner == "fresh":
                parts = [[rows for _, rows in entries] for entries in plan.inner]
            order = [int(name[1:]) for name in dataset.features.canonical().numeric_names]
            found.append(reference.Fits(X, y, order, plan.folds, parts, task != "regression"))
        return found

    @cache
    def read(task, inner, cv, names=None, **options):
        return tuple(reference.Reader(f, names, **options) for f in fit(task, inner, cv))

    return read


def close(task):
    return {"rel": 1e-12, "abs": 0.0} if task == "regression" else {"rel": 0.0, "abs": 1e-12}


CASES = [("binary", "shared", 5), ("binary", "fresh", 3), ("classes", "shared", 4),
         ("classes", "fresh", 3), ("regression", "shared", 5), ("regression", "fresh", 3)]  # fmt: skip


@pytest.mark.parametrize(("task", "inner", "cv"), CASES)
def test_ensemble_of_all_sizes(reference, readers, task, inner, cv):
    """Algorithm 2 with all four models: the literal score, the matched one and the limit."""
    target, source = readers(task, inner, cv)
    result = engine(task, inner, cv)
    for size in SIZES:
        expected = reference.score(target, source, "ensemble", size)
        assert result.sizes[size].value == pytest.approx(expected, **close(task)), size
    assert result.score == result.sizes["matched"].value
    to_target = reference.discrepancy(source, target, "ensemble", "matched")
    to_source = reference.discrepancy(target, source, "ensemble", "matched")
    assert result.source_to_target == pytest.approx(to_target, **close(task))
    assert result.target_to_source == pytest.approx(to_source, **close(task))


@pytest.mark.parametrize(("task", "inner", "cv"), CASES)
def test_single_models_and_weights(reference, readers, task, inner, cv):
    """Algorithm 1 for each model, and step 2 of algorithm 2."""
    target, source = readers(task, inner, cv)
    result = engine(task, inner, cv)
    assert list(result.model_scores) == target.names
    for name in target.names:
        expected = reference.score(target, source, name, "matched")
        assert result.model_scores[name] == pytest.approx(expected, **close(task)), name
    for side, reader in (("target", target), ("source", source)):
        weights = list(result.model_weights[side].values())
        np.testing.assert_allclose(weights, reader.full_view["weights"], rtol=1e-10)


@pytest.mark.parametrize(("task", "inner", "cv"), CASES)
def test_error_table(readers, task, inner, cv):
    """Every own and cross error at every training size, for models and the ensemble."""
    sides = dict(zip(("target", "source"), readers(task, inner, cv), strict=True))
    table = engine(task, inner, cv).errors.frame
    sizes = {"full": "none", "fold": "k", "inner": "jk"}
    n_checked = 0
    for trained_on, learner in sides.items():
        for tested_on, tested in sides.items():
            for size, held_out in sizes.items():
                if trained_on == tested_on and size == "full":
                    continue
                if trained_on == tested_on:
                    expected = tested.fold_mean(tested.own(size))
                else:
                    expected = learner.cross(tested, size).mean(axis=(0, 2))
                part = table[
                    (table.trained_on == trained_on)
                    & (table.tested_on == tested_on)
                    & (table.held_out == held_out)
                ]
                assert list(part.model) == [*learner.names, "ensemble"]
                np.testing.assert_allclose(part.error, expected, rtol=1e-12, atol=1e-12)
                n_checked += len(part)
    assert n_checked == len(table) == 5 * (2 * 2 + 2 * 3)


@pytest.mark.parametrize("estimate", ["weighted", "unweighted"])
@pytest.mark.parametrize(("task", "inner", "cv"), CASES)
def test_averages_of_models(reference, readers, task, inner, cv, estimate):
    """Scheme 1: literal weights for the paper's size, nested ones for the matched sizes."""
    names = FAST[task != "regression"]
    target, source = readers(task, inner, cv, names)
    result = score(*datasets(task), models=names, inner=inner, cv=cv, estimate=estimate)
    for size in SIZES:
        expected = reference.score(target, source, estimate, size)
        assert result.sizes[size].value == pytest.approx(expected, **close(task)), size


@pytest.mark.parametrize(("task", "inner", "cv"), CASES[:4])
def test_hard_voting(reference, readers, task, inner, cv):
    names = FAST[True]
    target, source = readers(task, inner, cv, names, voting="hard")
    result = score(*datasets(task), models=names, inner=inner, cv=cv, voting="hard")
    for size in SIZES:
        expected = reference.score(target, source, "ensemble", size)
        assert result.sizes[size].value == pytest.approx(expected, abs=1e-12), size


@pytest.mark.parametrize(("task", "inner", "cv"), CASES[:4])
def test_brier_loss(reference, readers, task, inner, cv):
    """Probabilities themselves, so also the sigmoids: agree as far as two optimisers do."""
    names = FAST[True]
    target, source = readers(task, inner, cv, names, loss="brier")
    result = score(*datasets(task), models=names, inner=inner, cv=cv, loss="brier")
    for size in SIZES:
        expected = reference.score(target, source, "ensemble", size)
        assert result.sizes[size].value == pytest.approx(expected, abs=1e-6), size


@pytest.mark.parametrize(("task", "inner", "cv"), CASES[4:])
def test_literal_weighting_of_regression(reference, readers, task, inner, cv):
    names = FAST[False]
    target, source = readers(task, inner, cv, names, weighting="paper")
    result = score(*datasets(task), models=names, inner=inner, cv=cv, weighting="paper")
    for size in SIZES:
        expected = reference.score(target, source, "ensemble", size)
        assert result.sizes[size].value == pytest.approx(expected, rel=1e-12), size
    literal = list(result.model_weights["target"].values())
    np.testing.assert_allclose(literal, target.full_view["weights"], rtol=1e-9)


def test_the_options_are_told_apart(reference, readers):
    """Guard: had the cases no disagreement, the equalities above would show nothing."""
    found = []
    for voting in ("soft", "hard"):
        target, source = readers("binary", "shared", 5, voting=voting)
        found += [reference.score(target, source, "ensemble", size) for size in SIZES]
    found += [reference.score(target, source, e, "matched") for e in ("weighted", "unweighted")]
    assert np.min(np.diff(np.sort(found))) > 1e-4
