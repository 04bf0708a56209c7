"""The hand-written solvers against closed forms and optimality conditions."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC, SVR

from datakin.learners import svm
from datakin.learners.fitters import LeastSquaresFitter, start_fitter
from datakin.learners.newton import logistic
from datakin.learners.predictors import radial
from datakin.learners.svm import RadialSum, regress, train
from datakin.paper.models import minimise_hinge


def test_hinge_by_hand():
    """Points at -1 and 1: w = 1 where the cost allows, else w is what two full multipliers give."""
    X, signs, levels = np.array([[-1.0], [1.0]]), np.array([[-1.0, 1.0]]), np.ones((1, 2))
    np.testing.assert_allclose(minimise_hinge(X, signs, levels, 1.0), [1.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(minimise_hinge(X, signs, levels, 0.25), [0.5, 0.0], atol=1e-8)


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("task", ["classes", "regression"])
def test_hinge_reaches_the_optimum(task, cost):
    """Lower than libsvm at any tolerance, and no step along any direction helps."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 6))
    value = X @ [1, 0.5, 0, 0, -1, 0] + 0.7 * rng.standard_normal(300)
    if task == "classes":
        signs, levels = np.sign(value)[None], np.ones((1, 300))
        machine = SVC(kernel="linear", C=cost, tol=1e-6).fit(X, value > 0)
    else:
        signs = np.array([[1.0], [-1.0]]) * np.ones(300)
        levels = signs * value - 0.1
        machine = SVR(kernel="linear", C=cost, tol=1e-5).fit(X, value)
    ours = minimise_hinge(X, signs, levels, cost)
    theirs = np.append(machine.coef_, machine.intercept_)

    def objective(beta):
        margins = levels - signs * (X @ beta[:-1] + beta[-1])
        return 0.5 * beta[:-1] @ beta[:-1] + cost * np.maximum(margins, 0).sum()

    least = objective(ours)
    assert least <= objective(theirs) * (1 + 1e-12)
    assert objective(theirs) == pytest.approx(least, rel=1e-5)  # libsvm's kernels have 32 bits
    for step in rng.standard_normal((50, 7)):
        assert objective(ours + 1e-5 * step) >= least * (1 - 1e-11)


@pytest.mark.parametrize("task", ["classes", "regression"])
def test_hinge_is_exact(task):
    """Which conditions hold with equality fixes the optimum, by a linear system, to 64 bits."""
    rng = np.random.default_rng(2)
    n, p, cost = 250, 5, 0.7
    X = rng.standard_normal((n, p))
    value = X @ [1, 0.5, 0, 0, -1] + 0.7 * rng.standard_normal(n)
    if task == "classes":
        signs, levels = np.sign(value)[None], np.ones((1, n))
    else:
        signs = np.array([[1.0], [-1.0]]) * np.ones(n)
        levels = signs * value - 0.1
    ours = minimise_hinge(X, signs, levels, cost)
    # Rows (x, 1) times their sign, one for every condition.
    pull = (signs[:, :, None] * np.hstack([X, np.ones((n, 1))])).reshape(-1, p + 1)
    levels = levels.ravel()
    margins = levels - pull @ ours
    equal, below = np.abs(margins) < 1e-7, margins >= 1e-7
    m = int(equal.sum())
    # w = cost * (sum of pulls below) + (multipliers of the equal ones); the same with 0 for b.
    system = np.zeros((p + 1 + m, p + 1 + m))
    system[:p, :p] = np.eye(p)
    system[: p + 1, p + 1 :] = -pull[equal].T
    system[p + 1 :, : p + 1] = pull[equal]
    right = np.concatenate([cost * pull[below].sum(axis=0), levels[equal]])
    solution = np.linalg.solve(system, right)
    optimum, multipliers = solution[: p + 1], solution[p + 1 :]
    assert ((multipliers >= 0) & (multipliers <= cost)).all()
    assert np.array_equal(levels - pull @ optimum > 1e-9, below)
    np.testing.assert_allclose(ours, optimum, rtol=0, atol=1e-8)


def radial_problem(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * rng.standard_normal(n)
    return X, (y - y.mean()) / y.std()


def test_gram_matrix_and_sums_are_the_kernel_s():
    X, _ = radial_problem(700, 5)  # more than one block of rows
    gram = radial(X, X, 0.2)
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(gram, np.exp(-0.2 * distances), rtol=0, atol=1e-14)
    weights = np.arange(20.0).reshape(10, 2)
    values = RadialSum(X[:10], weights, np.array([1.0, 2.0]), 0.2)(X)
    np.testing.assert_allclose(values, gram[:, :10] @ weights + [1.0, 2.0], atol=1e-12)


@pytest.mark.parametrize(("cost", "margin"), [(1.0, 0.1), (0.1, 0.3), (3.0, 0.5)])
def test_active_set_meets_the_optimality_conditions(cost, margin):
    """Inside the tube no weight, outside the full one, on its border anything between."""
    X, y = radial_problem(300, 8)
    gram = radial(X, X, 1 / 8)
    rough = SVR(kernel="precomputed", C=cost, epsilon=margin, tol=1e-2).fit(gram, y)
    start = np.zeros(300)
    start[rough.support_] = rough.dual_coef_[0]
    weights, intercept = regress(gram, y, cost, margin, start)
    residuals = y - gram @ weights - intercept
    assert abs(weights.sum()) < 1e-9
    sizes = np.abs(weights)
    assert sizes.max() <= cost
    assert (np.abs(residuals[sizes == 0]) <= margin + 1e-9).all()
    full = sizes == cost
    assert (residuals[full] * np.sign(weights[full]) >= margin - 1e-9).all()
    between = (sizes > 0) & ~full
    assert between.any()
    np.testing.assert_allclose(
        residuals[between], margin * np.sign(weights[between]), rtol=0, atol=1e-9
    )


def test_active_set_gives_up_where_its_guess_is_worthless():
    """Few columns make a Gram matrix close to singular: the kinds of rows do not settle."""
    X, y = radial_problem(400, 2)
    gram = radial(X, X, 0.5)
    assert regress(gram, y, 1.0, 0.1, np.where(np.arange(400) % 4, 0.0, 0.5)) is None
    assert regress(gram, y, 1.0, 0.1, np.zeros(400)) is None  # no free row to start from


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_libsvm_is_the_same_by_either_entry(monkeypatch, n_classes, kernel):
    X, value = radial_problem(90, 3)
    y = np.digitize(value, [-0.5, 0.5][: n_classes - 1]) if n_classes else value
    estimator = (SVC if n_classes else SVR)(kernel=kernel, C=0.7)
    direct = train(estimator, kernel, X, y, gamma=0.3)
    for problem in (ImportError, AttributeError, TypeError):  # gone, renamed, called otherwise

        def fail(*arguments, problem=problem):
            raise problem

        monkeypatch.setattr(svm, "_directly", fail)
        public = train(estimator, kernel, X, y, gamma=0.3)
        for one, other in zip(direct, public, strict=True):  # support, weights, intercepts
            np.testing.assert_array_equal(one, other)


def test_libsvm_says_nothing(capfd):
    X, y = radial_problem(50, 3)
    train(SVR(), "rbf", X, y, gamma=0.3)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("separable", [False, True])
def test_newton_ends_where_the_gradient_is_zero(n_classes, separable):
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((90, 4))
    noise = 0.0 if separable else 1.0
    y = np.digitize(X[:, 0] + noise * rng.standard_normal(90), [0.0, 0.8][: n_classes - 1])
    shape = (5, 1 if n_classes == 2 else n_classes)
    beta = logistic(X, y, n_classes, 1e-3, np.zeros(shape))
    eta = X @ beta[:-1] + beta[-1]
    if n_classes == 2:
        residual = expit(eta) - y[:, None]
    else:
        residual = softmax(eta, axis=1) - (y[:, None] == np.arange(n_classes))
    np.testing.assert_allclose(X.T @ residual + 1e-3 * beta[:-1], 0, atol=1e-8)
    np.testing.assert_allclose(residual.sum(axis=0), 0, atol=1e-8)
    warm = logistic(X, y, n_classes, 1e-3, beta + 0.1 * rng.standard_normal(shape))
    np.testing.assert_allclose(warm[:-1], beta[:-1], rtol=1e-6, atol=1e-8)


def test_least_squares_with_equal_columns_is_the_shortest_solution():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])
    y, Z = rng.standard_normal(60), rng.standard_normal((30, 5))
    fitter = start_fitter(LinearRegression(), LeastSquaresFitter, False)
    fitted = fitter.fit(X, y, 0)
    centred = X - X.mean(axis=0)
    beta = np.linalg.pinv(centred) @ (y - y.mean())
    expected = y.mean() + (Z - X.mean(axis=0)) @ beta
    np.testing.assert_allclose(fitted.predict(Z), expected, atol=1e-10)
    assert fitter.name == "normal equations"


def test_least_squares_leaves_nearly_equal_columns_to_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    X = np.column_stack([X, X[:, 0] + 1e-6 * rng.standard_normal(60)])
    y = rng.standard_normal(60)
    fitter = start_fitter(LinearRegression(), LeastSquaresFitter, False)
    assert isinstance(fitter.fit(X, y, 0), LinearRegression)
    assert fitter.name == "normal equations, in part scikit-learn"
