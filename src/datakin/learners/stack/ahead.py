"""How often estimators of the user will be fitted, said before it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from datakin._core.exceptions import warn
from datakin._core.progress import fits_heard, foretell, progress
from datakin.data.features import Array
from datakin.learners.foreign import ForeignLearner
from datakin.learners.learner import Learner, Rows
from datakin.learners.stack.candidates import MOST_POOLED


@contextmanager
def own_fits(
    learners: Sequence[Learner],
    target: Rows,
    sources: Mapping[str, Rows],
    folds: Array,
    draws: tuple[int, int],
    *,
    pools: bool,
    tried: int = 0,
    of: str,
    here: bool = True,
) -> Iterator[Callable[[], None]]:
    """Show a bar that moves with the fits of the user's estimators, and say how long these will take.

    The first fit of each is timed; others take longer by as much as they have more rows. Without such
    estimators the bar moves with the draws of the folds.

    Parameters
    ----------
    learners, target, sources, pools
        As of a `Stack`.
    folds : ndarray of int
        Of one draw.
    draws : (int, int)
        Least and largest number of draws of the folds.
    tried : int
        Draws of the folds in which each source is tried, pooled with the target by the first learner; 0 for
        no trials.
    of : str
        What the work is called.
    here : bool
        Whether fits are heard of: not those on a cluster.

    Yields
    ------
    callable
        To be called after each draw of the folds.
    """
    own = [each for each in learners if isinstance(each, ForeignLearner)]
    for each in own:
        if target.kind != "regression" and not hasattr(each.estimator, "predict_proba"):
            warn(
                f"{each.name} has no probabilities (predict_proba): its labels count as 0 or 1. "
                f"scikit-learn's CalibratedClassifierCV gives it some."
            )
    if not own or not here:
        with progress(f"{of}: draws of the folds", draws[1]) as advance:
            yield advance
        return
    sizes = [len(rows) for rows in sources.values()]
    counts = len(target), sizes, int(folds.max()) + 1
    ahead = {
        each.name: [_ahead(*counts, n, min(n, tried), pools, each is learners[0]) for n in draws]
        for each in own
    }
    total = sum(len(most) for _, most in ahead.values())
    with progress(f"{of}: fits of {', '.join(ahead)}", total) as advance:

        def hear(name: str, seconds: float, n_rows: int) -> None:
            if name in ahead:
                least, most = ahead.pop(name)
                few, many = len(least), len(most)
                number = f"{few:,}" if few == many else f"{few:,} to {many:,}"
                foretell(seconds / n_rows * sum(least), f"{number} fits of {name!r}")
            advance()

        with fits_heard(hear):
            yield lambda: None


def _ahead(
    n: int, sizes: Sequence[int], k: int, draws: int, tried: int, pools: bool, first: bool
) -> list[float]:
    """Return how many rows each fit will have.

    Fits of the sources and of all of them; of each fold of the target, alone and with the sources; of each
    source with the target, where sources are tried; of halves of the target; and of the model.
    """
    rest = n * (k - 1) / k
    fits = [*sizes, *[rest] * (k * draws), n]
    if pools and sizes:
        pool = min(sum(sizes), MOST_POOLED)
        folds = (k + 1) // 2 if pool >= n else k
        fits += [*[rest + pool] * (folds * draws), n, n + pool]
        fits += [pool] if len(sizes) > 1 else []
    fits += [n / 2] * (2 * draws if tried else 0)
    return fits + [rest + size for size in sizes] * (k * tried if first else 0)
