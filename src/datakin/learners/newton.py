"""Newton's method for penalised regressions, perhaps from an offset, and rows left out by a formula.

A response is a number ("regression") or 0 and 1 ("binary"). Of several classes ("multiclass") each is
fitted against the rest; `logistic` fits them all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit, log_softmax, logit

from datakin.data.features import Array

CLIP = 1e-4  # probabilities are never taken nearer to 0 or 1, in no step of the ladder
FREE = 0.01  # penalty of what is free: it only keeps separated classes solvable

# For some coefficients: the value, its gradient, and a function that gives its second derivatives.
Derivatives = tuple[float, Array, Callable[[], Array]]
Objective = Callable[[Array], Derivatives]


@dataclass(frozen=True)
class Tolerance:
    """When Newton's method is at its end.

    The last step promised to lower the value by half of `decrement` at most, as a share of it; or the next
    one would move no coefficient by more than `step`. In a step, rounding may raise the value by the share
    `rise`; a step is halved until it is `shortest`. What is added to the second derivatives, `damping`,
    keeps them from being singular. If `strict`, there is no solution where a step cannot be solved for or
    is still too long at its shortest, and the last step must be a whole one.
    """

    decrement: float = 1e-8
    step: float = 0.0
    rise: float = 1e-10
    shortest: float = 1e-6
    most_steps: int = 50
    damping: float = 0.0
    strict: bool = False


USUAL = Tolerance()
EXACT = Tolerance(1e-13, rise=1e-12, shortest=1e-8, most_steps=60, strict=True)


def minimise(objective: Objective, beta: Array, tolerance: Tolerance = USUAL) -> tuple[Array, bool]:
    """Return the coefficients where an objective is smallest, and whether the method came to its end."""
    value, gradient, second = objective(beta)
    for _ in range(tolerance.most_steps):
        matrix = second()
        if tolerance.damping:
            matrix[np.diag_indices_from(matrix)] += tolerance.damping
        step = _solved(matrix, gradient, tolerance.strict)
        if step is None:
            return beta, False
        if tolerance.step and float(np.max(np.abs(step))) < tolerance.step:
            return beta, True
        decrement, size = float(step @ gradient), 1.0
        trial = objective(beta - step)
        while trial[0] > value + tolerance.rise * (1 + abs(value)) and size >= tolerance.shortest:
            size /= 2
            if tolerance.strict and size < tolerance.shortest:
                return beta, False
            trial = objective(beta - size * step)
        beta = beta - size * step
        value, gradient, second = trial
        if decrement < tolerance.decrement * (1 + abs(value)) and (
            size == 1.0 or not tolerance.strict
        ):
            return beta, True
    return beta, False


def _solved(matrix: Array, right: Array, strict: bool) -> Array | None:
    if strict:
        _, found, fault = dposv(matrix, right)
        return None if fault else np.asarray(found)
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return None


def mean_of(eta: Array, kind: str) -> Array:
    """Return the mean of the response for a linear predictor."""
    return eta if kind == "regression" else np.asarray(expit(eta))


def link(P: Array, kind: str) -> Array:
    """Return predictions as linear predictors: logits of probabilities, numbers as they are."""
    return P if kind == "regression" else np.asarray(logit(np.clip(P, CLIP, 1 - CLIP)))


def curvature(mean: Array, kind: str) -> Array:
    """Return by how much means move with their linear predictors."""
    return np.ones_like(mean) if kind == "regression" else mean * (1 - mean)


def hessian(Z: Array, weights: Array, mean: Array, ridge: Array, kind: str) -> Array:
    """Return the second derivatives of the penalised loss."""
    curve = weights * curvature(mean, kind)
    if not ridge.any():  # no root is taken: rounding decides where fits of few free columns end
        return np.asarray((Z * curve[:, None]).T @ Z)
    part = Z * np.sqrt(curve)[:, None]
    return np.asarray(part.T @ part + np.diag(ridge))


def penalised(
    Z: Array, y: Array, weights: Array, ridge: Array, kind: str, offset: Array | float = 0.0
) -> Objective:
    """Return the penalised loss of ``offset + Z beta`` as something to minimise.

    Z has shape (n, p), y and the weights have shape (n,), and so may have the offset. `ridge` is the penalty
    of each coefficient, `kind` "binary", "multiclass" or "regression".
    """

    def objective(beta: Array) -> Derivatives:
        eta = offset + Z @ beta
        mean = mean_of(eta, kind)
        if kind == "regression":
            loss = 0.5 * float(weights @ (eta - y) ** 2)
        else:
            loss = float(np.sum(weights * (np.logaddexp(0.0, eta) - y * eta)))
        gradient = Z.T @ (weights * (mean - y)) + ridge * beta
        return (
            loss + 0.5 * float(ridge @ beta**2),
            gradient,
            lambda: hessian(Z, weights, mean, ridge, kind),
        )

    return objective


def refit(
    D: Array,
    y: Array,
    offset: Array | float,
    weights: Array,
    ridge: Array,
    kind: str,
    start: Array | None = None,
) -> Array:
    """Return the coefficients of ``offset + D b``, perhaps started elsewhere than at 0; see `penalised`."""
    b = np.zeros(D.shape[1]) if start is None else start
    return minimise(penalised(D, y, weights, ridge, kind, offset), b)[0]


def left_out(
    D: Array, y: Array, offset: Array | float, weights: Array, ridge: Array, b: Array, kind: str
) -> Array:
    """Return the squared loss of each row, predicted as if it were left out.

    By a formula, not by refits (Rahnama Rad and Maleki, 2020); it is exact for squared error.
    """
    eta = offset + D @ b
    mean = mean_of(eta, kind)
    lever = np.einsum("ij,ij->i", D, np.linalg.solve(hessian(D, weights, mean, ridge, kind), D.T).T)
    gap = np.maximum(1 - lever * (weights * curvature(mean, kind)), 1e-6)
    moved = eta + lever / gap * weights * (mean - y)
    return np.asarray(weights * (y - mean_of(moved, kind)) ** 2)


def refits(Z: Array, y: Array, W: Array, ridge: Array, kind: str, start: Array) -> Array:
    """Return what `refit` does for several sets of weights, a row of coefficients for each.

    W has shape (fits, n); rows of weight 0 are left out. All fits start at the same coefficients.
    """
    beta = np.tile(start, (len(W), 1))
    value, mean = _values(Z, y, W, ridge, kind, beta)
    for _ in range(USUAL.most_steps):
        gradient = (W * (mean - y)) @ Z + ridge * beta
        step = np.linalg.solve(hessians(Z, W, mean, ridge, kind), gradient[..., None])[..., 0]
        size = np.ones(len(W))
        trial, mean = _values(Z, y, W, ridge, kind, beta - step)
        while (up := trial > value + USUAL.rise * (1 + np.abs(value))).any():
            size[up] /= 2
            if size.min() < USUAL.shortest:
                break
            trial, mean = _values(Z, y, W, ridge, kind, beta - size[:, None] * step)
        beta = beta - size[:, None] * step
        value = trial
        # To the last digits: where the fits start shall not show.
        if (np.sum(step * gradient, axis=1) < EXACT.decrement * (1 + np.abs(value))).all():
            break
    return beta


def _values(
    Z: Array, y: Array, W: Array, ridge: Array, kind: str, beta: Array
) -> tuple[Array, Array]:
    """Return the penalised loss of each fit, and its means of all rows."""
    eta = beta @ Z.T
    mean = mean_of(eta, kind)
    losses = 0.5 * (eta - y) ** 2 if kind == "regression" else np.logaddexp(0.0, eta) - y * eta
    return np.einsum("fi,fi->f", W, losses) + 0.5 * (beta**2 @ ridge), mean


def hessians(Z: Array, W: Array, mean: Array, ridge: Array, kind: str) -> Array:
    """Return the second derivatives of several fits, of shape (fits, p, p)."""
    found = np.array([(Z.T * curve) @ Z for curve in W * curvature(mean, kind)])
    found[:, np.arange(len(ridge)), np.arange(len(ridge))] += ridge
    return found


def all_left_out(Z: Array, y: Array, W: Array, ridge: Array, beta: Array, kind: str) -> Array:
    """Return the sum of what `left_out` gives for each of several fits."""
    eta = beta @ Z.T
    mean = mean_of(eta, kind)
    inverses = np.linalg.inv(hessians(Z, W, mean, ridge, kind))
    lever = np.array([np.einsum("ij,ij->i", Z @ each, Z) for each in inverses])
    gap = np.maximum(1 - lever * (W * curvature(mean, kind)), 1e-6)
    moved = eta + lever / gap * W * (mean - y)
    return np.asarray(np.sum(W * (y - mean_of(moved, kind)) ** 2, axis=1))


def best_penalty(
    D: Array,
    y: Array,
    offset: Array,
    weights: Array,
    kind: str,
    penalties: Sequence[float],
    n_free: int,
) -> tuple[float, Array]:
    """Return the penalty with the smallest leave-one-out loss, and its coefficients.

    Penalties go from stiff to free: each starts where the last one ended. The first `n_free` columns are free
    of it.
    """
    fits, losses = [np.zeros(D.shape[1])], []
    for penalty in penalties:
        ridge = np.full(D.shape[1], float(penalty))
        ridge[:n_free] = FREE
        fits.append(refit(D, y, offset, weights, ridge, kind, fits[-1]))
        losses.append(float(left_out(D, y, offset, weights, ridge, fits[-1], kind).sum()))
    best = int(np.argmin(losses))
    return penalties[best], fits[1 + best]


def logistic(X: Array, y: Array, n_classes: int, penalty: float, start: Array) -> Array | None:
    """Return the coefficients with the least log loss plus penalty / 2 times their sum of squares.

    They have shape (p + 1, 1), or one column per class; the last row holds intercepts, which are not
    penalised. `start` has the same shape. None if the method does not converge.
    """
    design = np.hstack([X, np.ones((len(X), 1))])
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 0.0
    if n_classes == 2:
        target = (y == 1).astype(float)
        objective = penalised(design, target, np.ones(len(y)), ridge, "binary")
    else:
        objective = _multinomial(design, y[:, None] == np.arange(n_classes), ridge)
    found, is_done = minimise(objective, start.T.ravel(), EXACT)
    return found.reshape(start.T.shape).T if is_done else None


def _multinomial(design: Array, target: Array, ridge: Array) -> Objective:
    """Return the penalised loss of several classes; the coefficients of one class stand together."""
    (n, q), n_classes = design.shape, target.shape[1]

    def objective(beta: Array) -> Derivatives:
        by_class = beta.reshape(n_classes, q).T
        logs = log_softmax(design @ by_class, axis=1)
        p = np.exp(logs)
        loss = -np.sum(target * logs) + 0.5 * np.sum(ridge[:, None] * by_class**2)
        gradient = design.T @ (p - target) + ridge[:, None] * by_class

        def second() -> Array:
            part = (p[:, :, None] * design[:, None, :]).reshape(n, n_classes * q)
            full: Array = -(part.T @ part)
            blocks = (part.T @ design).reshape(n_classes, q, q)
            for c in range(n_classes):
                at = slice(c * q, (c + 1) * q)
                full[at, at] += blocks[c] + np.diag(ridge)
            # Adding one number to all intercepts changes nothing, so keep their sum fixed.
            last = np.arange(q - 1, n_classes * q, q)
            full[np.ix_(last, last)] += 1.0
            return full

        return float(loss), gradient.T.ravel(), second

    return objective
