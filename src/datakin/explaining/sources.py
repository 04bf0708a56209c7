"""explain_sources: explanations of the sources of a comparison, a ranking or a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from datakin._core.exceptions import DatakinError, Interrupted, Note, listed, suggest, warn
from datakin._core.progress import progress
from datakin.data import Dataset, check_names, coerce
from datakin.data.inputs import collect
from datakin.explaining.act import explain
from datakin.results import Choice, Comparison, Explanation, Ranking

__all__ = ["explain_sources"]

Result = TypeVar("Result", Comparison, Ranking, Choice)


def explain_sources(
    result: Result,
    target: Any,
    sources: Any,
    *,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Result:
    """Explain why sources hurt, and put the explanations into the result that says so.

    Parameters
    ----------
    result : Comparison, Ranking or Choice
    target : Dataset or (X, y)
        What the result was computed from.
    sources : list of Dataset or (X, y), or mapping of name to one
        The sources that it was computed from, or some of them.
    names : sequence of str, optional
        The sources to explain. By default that of a comparison, and of a ranking or a choice those that
        are called "hurts".
    **options
        Those of `explain`: learner, loss, max_rows, random_state.

    Returns
    -------
    Comparison, Ranking or Choice
        The same result with `explanations`, which its answer and its report show. A source that cannot
        be explained is left out, with a warning; if none can, the reason is raised.

    Examples
    --------
    >>> from datakin import rank
    >>> from datakin.synthetic import settings
    >>> near, far = (settings()["lda"](c).sample(80, 200, random_state=0) for c in (1.0, -1.0))
    >>> tables = {"near": near.source, "far": far.source}
    >>> found = explain_sources(rank(near.target, tables, models=["logistic"]), near.target, tables)
    >>> [each.source for each in found.explanations]
    ['far']
    """
    own, others = _datasets(result, target, sources)
    wanted = _wanted(names, result)
    if absent := [name for name in wanted if name not in others]:
        raise DatakinError(
            f"The sources to explain must be among those given. Got no dataset for {listed(absent)}; the "
            f"datasets are {listed(others)}.{suggest(absent[0], others)}"
        )
    explanations: list[Explanation] = []
    faults: dict[str, DatakinError] = {}
    try:
        with progress("explain: sources", len(wanted)) as advance:
            for name in wanted:
                try:
                    explanations.append(explain(own, others[name], **options))
                except DatakinError as error:
                    faults[name] = error
                advance()
    except KeyboardInterrupt:
        done = f"Interrupted after {len(explanations)} of {len(wanted)} explanations."
        raise Interrupted(done, _with(result, explanations)) from None
    if faults and not explanations:  # A wrong option, perhaps: it is wrong for all of them.
        raise next(iter(faults.values()))
    for name, fault in faults.items():
        warn(Note(f"{name} is not explained: {fault}"))
    made: Result = _with(result, explanations)
    return made


def _datasets(result: Any, target: Any, sources: Any) -> tuple[Dataset, dict[str, Dataset]]:
    """Return the target and the sources by name; refuse results that have no sources."""
    if not isinstance(result, (Comparison, Ranking, Choice)):
        raise DatakinError(
            f"explain_sources needs a Comparison, Ranking or Choice. Got {type(result).__name__}."
        )
    is_pair = isinstance(result, Comparison)
    given = collect([sources] if is_pair and isinstance(sources, Dataset) else sources, "source")
    if isinstance(result, Comparison) and len(given) == 1:
        # A pair may have been compared under names that were made for it.
        given = [given[0].renamed(result.source)]
    own = coerce(target, result.target).renamed(result.target)
    check_names([own, *given])
    if not isinstance(result, Choice):  # which alone has counted weights of rows
        own, given = own.unweighted(), [source.unweighted() for source in given]
    return own, {source.name: source for source in given}


def _wanted(names: Sequence[str] | None, result: Comparison | Ranking | Choice) -> list[str]:
    """Return the sources to explain; refuse names that the result does not have."""
    if isinstance(result, Comparison):
        calls, default = {result.source: result.call}, [result.source]
    else:
        every = result.comparisons if isinstance(result, Ranking) else result.choices
        calls = {source.source: source.call for source in every}
        default = [name for name, call in calls.items() if call == "hurts"]
    if names is None:
        return default
    given = list(dict.fromkeys([names] if isinstance(names, str) else names))
    if wrong := [name for name in given if name not in calls]:
        raise DatakinError(
            f"The 'names' parameter must hold sources of the result: {listed(calls, 20)}. Got "
            f"{listed(wrong)}.{suggest(wrong[0], calls)}"
        )
    return given


def _with(result: Any, explanations: list[Explanation]) -> Any:
    """Return a result with explanations; a choice keeps its model."""
    made = replace(result, explanations=tuple(explanations))
    has_model = isinstance(result, Choice) and "_model" in result.__dict__
    return made.with_model(result.model) if has_model else made
