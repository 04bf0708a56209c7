"""The public cross-error table: the way in, and the looks out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from datakin._core.checks import check_choice
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.warned import filters_kept
from datakin.cross_errors.options import Options, check_names_of
from datakin.cross_errors.table import ErrorTable
from datakin.cross_learning.preparation import prepare
from datakin.cross_learning.score import chosen_models
from datakin.data import for_matrix
from datakin.execution.running import measured
from datakin.learners.stack.gains import judge_of
from datakin.learners.stack.passes import Passes, read_stack
from datakin.results import Choice, Comparison, Matrix, Ranking
from datakin.scoring.choices import read_choice
from datakin.scoring.matrices import make_matrix
from datakin.scoring.pairs import all_estimates, compare_pair
from datakin.scoring.rankings import rank_sources

KEEPS = ("auto", "predictions", "losses", "sums")


class CrossErrors(ErrorTable):
    """The cross-error table of some datasets: measured once, looked at from every side.

    Made by `CrossErrors.measure` or `CrossErrors.load`. Every score, ranking and matrix is a look at
    it, for which nothing is fitted.

    Attributes
    ----------
    names : tuple of str
        The datasets.
    trials : mapping of str to Trials
        What sources brought when they were tried, by target.
    frame : pandas.DataFrame
        trained_on, tested_on, model, held_out, weights_from, n_train, rows, error, spread.
    keep : {"predictions", "losses", "sums"}
        What is kept: predictions of every model for every row (every look is possible); losses of
        every row (all looks but another sharpness, voting or weighting); or sums (looks at the
        estimate that was measured).
    n_fits : int

    Examples
    --------
    >>> from datakin.synthetic import settings
    >>> pair = settings()["lda"](1.0).sample(60, 100, random_state=0)
    >>> errors = CrossErrors.measure([pair.target, pair.source], models=["logistic"])
    >>> first, second = (errors.score("target", "source", size=s) for s in ("matched", "limit"))
    >>> first.size, second.size
    ('matched', 'limit')
    """

    @classmethod
    @filters_kept()
    def measure(
        cls,
        datasets: Any,
        *,
        pairs: Any = "all",
        trials: Any = None,
        keep: str = "auto",
        **options: Any,
    ) -> CrossErrors:
        """Fit each dataset once and test it on its partners.

        Parameters
        ----------
        datasets : list of datasets, or mapping of name to dataset
        pairs : "all", str or list of (target, source)
            "all" pairs; those of one target, by its name; or pairs of names.
        trials : str, list of str or "all", optional
            Targets whose sources are tried with them: a stack of target and source against the
            stack of the target alone. Calls of these targets' sources come from the trials; others
            have none. Where predictions are kept, `choose` answers for these targets.
        keep : {"auto", "predictions", "losses", "sums"}
            What to keep; "auto" keeps predictions up to 512 MB, and beyond that sums, or for one
            target losses.
        **options
            As in `CrossLearningScore`.

        Returns
        -------
        CrossErrors
        """
        check_names_of(options)
        chosen = Options(**options)
        check_choice("keep", keep, KEEPS)
        members = for_matrix(datasets)
        names = [d.name for d in members]
        wanted, tried = _named_pairs(pairs, names), _named_trials(trials, names)
        models = chosen_models(chosen, members)
        measurement = prepare(members, wanted, chosen, models, tried, keep, with_choices=True)
        said = f"Interrupted with {{}} of {len(wanted)} pairs finished."
        return _as_cross_errors(measured(measurement, said.format, _as_cross_errors))

    def score(self, target: str, source: str, **looks: Any) -> Comparison:
        """Look at one pair.

        Parameters
        ----------
        target, source : str
            Names of datasets.
        **looks
            estimate, size, direction, sharpness, voting, weighting, zones, zone_error: as in
            `CrossLearningScore`; by default as they were measured. models: names of some of the
            models that were measured.

        Returns
        -------
        Comparison
        """
        return compare_pair(self._looked(looks), target, source)

    def rank(self, target: str, **looks: Any) -> Ranking:
        """Look at all sources of one target, best first.

        Calls and order rest on the trials of this target, if they were measured (``trials=``).
        Otherwise there are no calls, and the order is that of what sources lose on the target. `looks`
        are those of `score`.
        """
        return rank_sources(self._looked(looks), target)

    def matrix(self, **looks: Any) -> Matrix:
        """Look at all pairs; calls come from trials where they were measured (``trials="all"``).

        `looks` are those of `score`.
        """
        return make_matrix(self._looked(looks))

    def choose(self, target: str) -> Choice:
        """Choose among all sources of a target that was named in ``trials=``.

        What `datakin.choose` says of the same tables, from the predictions that were kept; the choice has no
        model, because nothing is fitted.
        """
        self.check_name(target)
        found = self.evidence.get(target)
        if found is None:
            raise DatakinError(
                f"A choice for {target!r} needs the predictions of its trials with all sources, which these "
                f"cross errors do not hold. Measure all pairs of {target!r} at once, with "
                f"trials=[{target!r}] and keep='predictions', or call datakin.choose."
            )
        own = self.options.resolved_loss
        if found.has_own_loss and (own is None or own.name != found.loss):
            raise DatakinError(
                f"The loss {found.loss!r} is a function of your own, which is not saved. Call datakin.choose."
            )
        reading = read_stack(Passes(found.whole), Passes(found.chosen or found.whole))
        return read_choice(found, judge_of(found, own), reading)

    def estimates(self, target: str, source: str) -> pd.DataFrame:
        """Return every estimate of a pair in every size, with standard error and interval.

        The columns are estimate, size, score, standard_error, low, high and p_value.
        """
        return all_estimates(self, target, source)

    def _looked(self, looks: Mapping[str, Any]) -> CrossErrors:
        """Return the table as other options read it."""
        known = (*Options.names("look"), "models")
        for name in looks:
            if name not in known:
                raise DatakinError(
                    f"The option {name!r} cannot be changed after the measurement; {listed(known, 12)} "
                    f"can.{suggest(name, known)}"
                )
        changed = {name: value for name, value in looks.items() if value is not None}
        models = changed.pop("models", None)
        return self.read_with(self.options.replace(**changed), models)


def _as_cross_errors(table: ErrorTable) -> CrossErrors:
    return CrossErrors(**{name: getattr(table, name) for name in table.__dataclass_fields__})


def _named_pairs(pairs: Any, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs asked for as names."""
    if isinstance(pairs, str):
        if pairs == "all":
            return list(combinations(names, 2))
        _check_name(pairs, names, "pairs")
        return [(pairs, name) for name in names if name != pairs]
    found = []
    for item in pairs if isinstance(pairs, (list, tuple)) else [pairs]:
        if not isinstance(item, (list, tuple)) or len(item) != 2 or item[0] == item[1]:
            raise DatakinError(
                f"The 'pairs' parameter must be 'all', the name of a target, or a list of pairs of two "
                f"names. Got {item!r}."
            )
        for name in item:
            _check_name(name, names, "pairs")
        found.append((str(item[0]), str(item[1])))
    if not found:
        raise DatakinError("The 'pairs' parameter must name at least one pair. Got none.")
    if len({frozenset(pair) for pair in found}) < len(found):
        raise DatakinError("The 'pairs' parameter must name every pair once, in one order.")
    return found


def _named_trials(trials: Any, names: Sequence[str]) -> list[str]:
    """Return the targets whose sources are tried."""
    if trials is None:
        return []
    if isinstance(trials, str):
        trials = list(names) if trials == "all" else [trials]
    for name in trials if isinstance(trials, (list, tuple)) else [trials]:
        _check_name(name, names, "trials")
    return list(trials)


def _check_name(name: Any, names: Sequence[str], option: str) -> None:
    if not isinstance(name, str) or name not in names:
        raise DatakinError(
            f"The '{option}' parameter names datasets. There is no {name!r}; the datasets are "
            f"{listed(names, limit=12)}.{suggest(name, names)}"
        )
