"""Whether a step of the ladder is needed at all: tests that know the noise of both tables.

The steps are judged by held-out losses. These also fall where nothing differs but the source is small, for
its predictor is then off by chance. So a part is named only if a test says that the two tables differ.
The test takes scores: sums over the target's rows of what is left of the label, times what the step
could use. Their variance comes from the rows of the target, and from predictors of random halves of the
source: these lie as far from that of all its rows as it lies from the truth (a delete-half jackknife;
Shao and Wu, 1989). This also holds for trees, where leaving out a few rows at a time would not do.
Where halves lie to one side of it, as with penalties that fall with the number of rows, this counts too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import f as f_distribution

from datakin.data.features import Array
from datakin.explaining.ladder import Judged, slope_column
from datakin.learners.newton import FREE, curvature, link, mean_of, refit

# How much the bias of halves counts, for base rate, confidence, rule and effects. A rule of many columns
# is off by more than halves show: a new slope of a noisy predictor makes all true effects seem too small.
LEANING = (1.0, 1.0, 4.0, 1.0)
# With more rows the source would be on the other side of its halves. If that is farther from 0, it makes
# no difference look like one. Many columns at once, and few rows, say less of that.
ONE_SIDED = (0, 1)
STIFF = 1.0  # Penalty of differences of effects, so that columns that go together stay solvable.


@dataclass(frozen=True, eq=False)
class Evidence:
    """Tests of the steps of the ladder, and of the effects of all columns.

    Attributes
    ----------
    steps : tuple of float
        P-values of base rate, confidence and rule.
    effects : ndarray of shape (q,)
        Differences of effects, each beside all others and a new base rate: for each response, of each column.
    here, there : ndarray of shape (q, q)
        Their covariance by the rows of the target, and by what the source happened to hold.
    freedom : tuple of int
        Degrees of freedom of the two.
    n_columns : int
        Of the matrix.
    """

    steps: tuple[float, ...]
    effects: Array
    here: Array
    there: Array
    freedom: tuple[int, int]
    n_columns: int

    def of_columns(self, at: Sequence[int]) -> float:
        """Return the p-value of the differences for some columns of the matrix together."""
        some = [start + j for start in range(0, len(self.effects), self.n_columns) for j in at]
        square = np.ix_(some, some)
        return _p_value(self.effects[some], self.here[square], self.there[square], self.freedom)


def evidence_of(judged: Judged, on_target: Array, halves: Sequence[Array]) -> Evidence:
    """Test each step of the ladder by what the source's predictor and those of its halves say."""
    parts, sums = _scores(judged, on_target)
    by_half = [_scores(judged, half)[1] for half in halves]
    freedom = judged.n_units - 1, len(halves) - 1
    tests = []
    for step, (rows, total) in enumerate(zip(parts, sums, strict=True)):
        scores = np.array([half[step] for half in by_half])
        apart, leaning = scores - scores.mean(axis=0), scores.mean(axis=0) - total
        if step in ONE_SIDED:
            leaning = np.where(leaning * total > 0, leaning, 0.0)
        there = apart.T @ apart / max(len(scores) - 1, 1)
        there = there + LEANING[step] * np.outer(leaning, leaning)
        tests.append((total, _covariance(rows, judged.groups), there))
    steps = tuple(_p_value(*test, freedom) for test in tests[:3])
    return Evidence(steps, *tests[3], freedom, judged.Z.shape[1])


def _p_value(total: Array, here: Array, there: Array, freedom: tuple[int, int]) -> float:
    """Return the probability of scores as large as these where nothing differs; see `Evidence`.

    Scores are squared in units of their variances and summed. The sum is taken for a scaled F with as
    many degrees of freedom as its mean and variance ask for (Satterthwaite, 1946).
    """
    V = here + there
    size = np.diag(V)
    known = size > 1e-12 * max(float(size.max(initial=0.0)), 1e-300)
    if not known.any():
        return 1.0
    scale = np.sqrt(size[known])
    z = total[known] / scale
    C = V[np.ix_(known, known)] / np.outer(scale, scale)
    above = len(z) ** 2 / float(np.sum(C**2))
    shares = [float(np.mean(np.diag(part)[known] / size[known])) for part in (here, there)]
    below = 1 / sum(s**2 / max(n, 1) for s, n in zip(shares, freedom, strict=True))
    return float(f_distribution.sf(float(z @ z) / len(z), above, below))


def _scores(judged: Judged, P: Array) -> tuple[list[Array], list[Array]]:
    """Return what each row adds to the scores of base rate, confidence, rule and effects, and the scores."""
    rows, kind = judged.rows, judged.rows.kind
    steps: list[list[Array]] = [[], [], [], []]
    fitted = []
    ones = np.ones((len(rows), 1))
    for y, offset in zip(rows.Y.T, link(P, kind).T, strict=True):
        known = np.column_stack([ones, slope_column(offset)])
        for step, free in enumerate((known[:, :0], known[:, :1], known)):
            b = refit(free, y, offset, rows.weights, np.full(step, FREE), kind) if step else None
            mean = mean_of(offset if b is None else offset + free @ b, kind)
            new = (ones, known[:, 1:], judged.Z)[step]
            weight = rows.weights * curvature(mean, kind)
            left = new - free @ _projected(free, new, weight) if step else new
            steps[step].append(left * (rows.weights * (y - mean))[:, None])
            if step == 1:
                Z = judged.Z - free @ _projected(free, judged.Z, weight)
                gram = (Z * weight[:, None]).T @ Z + STIFF * np.eye(Z.shape[1])
                steps[3].append((Z @ np.linalg.inv(gram)) * (rows.weights * (y - mean))[:, None])
                ridge = np.array([FREE] + [STIFF] * judged.Z.shape[1])
                columns = np.hstack([ones, judged.Z])
                fitted.append(refit(columns, y, offset, rows.weights, ridge, kind)[1:])
    parts = [np.hstack(responses) for responses in steps]
    sums = [part.sum(axis=0) for part in parts]
    return parts, [*sums[:3], _smaller(sums[3], np.concatenate(fitted))]


def _smaller(step: Array, fitted: Array) -> Array:
    """Return differences of effects by one Newton step or by a whole fit, whichever is smaller.

    Far from the truth a step goes too far, and how far depends on what halves of the source predict; with
    few rows for each column a whole fit does.
    """
    same = step * fitted > 0
    return np.where(same, np.sign(step) * np.minimum(np.abs(step), np.abs(fitted)), 0.0)


def _projected(free: Array, new: Array, weight: Array) -> Array:
    """Return the coefficients of the columns that are free already, so that only what is new is tested."""
    gram = (free * weight[:, None]).T @ free
    gram = gram + 1e-12 * max(float(np.trace(gram)), 1e-300) * np.eye(len(gram))
    return np.asarray(np.linalg.solve(gram, (free * weight[:, None]).T @ new))


def _covariance(parts: Array, groups: Array | None) -> Array:
    """Return the covariance of sums over rows, rows that belong together as one."""
    if groups is not None:
        sums = np.zeros((int(groups.max()) + 1, parts.shape[1]))
        np.add.at(sums, groups, parts)
        parts = sums
    apart = parts - parts.mean(axis=0)
    n = len(parts)
    return np.asarray(apart.T @ apart * n / max(n - 1, 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for several tests at once (Holm, 1979).

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected, largest = [1.0] * len(p_values), 0.0
    for rank, k in enumerate(np.argsort(p_values)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[k]))
        corrected[k] = largest
    return corrected
