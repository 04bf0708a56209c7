"""The options of a Cross-Learning Score: spelled, described and checked here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from os import PathLike
from typing import Any, Self

from datakin._core.checks import (
    check_choice,
    check_count,
    check_number,
    check_options,
    check_seed,
)
from datakin._core.exceptions import DatakinError
from datakin.data.checks.folds import FOLDS, LEAST_FOLDS
from datakin.learners.losses import LOSSES, Loss, resolve_loss

AGGREGATES = ("ensemble", "weighted", "unweighted")
SIZES = ("paper", "matched", "limit")
MAX_ROWS = 10_000  # fitting all rows of a larger dataset takes minutes and decides no better


def check_names_of(options: Mapping[str, Any]) -> None:
    """Refuse options that do not exist, saying where they went or belong."""
    if "method" in options:
        raise DatakinError(
            f"The 'method' option is gone: distances have calls of their own, such as "
            f"datakin.distances.rank(target, sources, method={options['method']!r})."
        )
    check_options(options, [each.name for each in fields(Options)], "the Cross-Learning Score")


def by_content(options: Options) -> bool:
    """Return whether folds and samples follow from what rows hold, as for learners; else from their order."""
    return bool(options.models == "learners")


def _option(default: Any, help: str, choices: tuple[str, ...] = (), **more: Any) -> Any:
    """Return a field with what the command line says of it.

    `choices` are the words it takes (`open`: among others); `look` marks options that can be changed
    after the measurement without a fit; `where` those that change no number.
    """
    return field(default=default, metadata={"help": help, "choices": choices, **more})


@dataclass(frozen=True, repr=False, eq=False)
class Options:
    """How a score is measured and read. `datakin.CrossLearningScore` documents each option."""

    models: Any = _option(
        None,
        "'learners', 'paper', 'extended', or names with commas: logistic,rbf_svm,trees is the default for "
        "classes.",
        kind="names",
    )
    _: KW_ONLY
    estimate: str = _option(
        "ensemble",
        "ensemble, weighted, unweighted, or one model's name.",
        (*AGGREGATES, "logistic", "linear", "linear_svm", "rbf_svm", "trees", "xgboost"),
        open=True,
        look=True,
    )
    cv: int = _option(FOLDS, "Number of folds.")
    loss: Any = _option(
        "auto", f"auto, {', '.join(LOSSES)}.", ("auto", *LOSSES), open=True, kind="word"
    )
    sharpness: float = _option(
        500.0, "How sharply the ensemble prefers models with a low error.", look=True
    )
    direction: float = _option(
        0.5, "Weight of the source-to-target half of the score, from 0 to 1.", look=True
    )
    size: str = _option("matched", "matched, paper or limit.", SIZES, look=True)
    inner: str = _option("shared", "Inner folds: shared or fresh.", ("shared", "fresh"))
    stratify: bool = _option(True, "Whether folds keep the class shares.")
    voting: str = _option("soft", "The ensemble votes soft or hard.", ("soft", "hard"), look=True)
    weighting: str = _option(
        "scaled",
        "Regression losses are scaled before models are weighted, or taken as in the paper.",
        ("scaled", "paper"),
        look=True,
    )
    zones: str = _option(
        "gain",
        "What decides: gain (sources are tried), or the paper's rule.",
        ("gain", "paper"),
        look=True,
    )
    zone_error: str = _option(
        "rows",
        "Standard error of the paper's thresholds from rows or folds.",
        ("rows", "folds"),
        look=True,
    )
    repeats: int = _option(1, "Fold seeds to average over.")
    max_rows: int | None = _option(
        MAX_ROWS, "Larger datasets are scored from samples; 0 to use all rows.", none=0
    )
    precision: float = _option(0.005, "Standard error for which samples grow.")
    random_state: int = _option(0, "Root of all randomness.", flag="--seed")
    n_jobs: int | None = _option(None, "Threads; -1 for all cores.", where=True)
    client: Any = _option(
        None,
        "Run on a Dask cluster, such as tcp://host:8786.",
        flag="--cluster",
        where=True,
        metavar="ADDRESS",
        kind="word",
    )
    checkpoint: Any = _option(
        None,
        "Folder for finished datasets, to go on after a run was killed.",
        where=True,
        kind="path",
    )
    skip_unusable: bool = _option(
        False, "Leave out datasets that cannot be used or compared.", where=True
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            choices = each.metadata["choices"]
            if choices and not each.metadata.get("open"):
                check_choice(each.name, getattr(self, each.name), choices)
        check_count("cv", self.cv, LEAST_FOLDS, "nested folds need at least three")
        check_count("repeats", self.repeats, 1, "one set of folds is the least")
        check_seed(self.random_state)
        if self.max_rows is not None:
            check_count("max_rows", self.max_rows, 200, "or None to use all rows")
        reach = "a number above 0, a standard error to reach"
        check_number("precision", self.precision, reach, lambda x: x > 0)
        check_number("sharpness", self.sharpness, "a number, at least 0", lambda x: x >= 0)
        check_number("direction", self.direction, "between 0 and 1", lambda x: 0 <= x <= 1)
        self._check_where()
        resolve_loss(self.loss)

    def _check_where(self) -> None:
        """Check the options that say where and how the work runs."""
        if self.n_jobs is not None:
            check_number(
                "n_jobs",
                self.n_jobs,
                "a number of jobs, -1 for all cores, or None",
                lambda x: x == int(x) != 0,
            )
        if self.client is not None and not (
            isinstance(self.client, str) or hasattr(self.client, "submit")
        ):
            raise DatakinError(
                f"The 'client' parameter must be a dask.distributed.Client or a scheduler's address. "
                f"Got {self.client!r} instead."
            )
        if self.checkpoint is not None and not isinstance(self.checkpoint, (str, PathLike)):
            raise DatakinError(
                f"The 'checkpoint' parameter must be the path of a folder. "
                f"Got {self.checkpoint!r} instead."
            )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all options by name, as scikit-learn's estimators do; `deep` changes nothing here."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changed; unknown ones are refused."""
        check_names_of(changes)
        return type(self)(**{**self.get_params(), **changes})

    @property
    def resolved_loss(self) -> Loss | None:
        """The loss; None for "auto", which depends on the dataset."""
        return resolve_loss(self.loss)

    @classmethod
    def names(cls, mark: str) -> tuple[str, ...]:
        """Return the options with a mark: "look" (changed without a fit), "where" (no number)."""
        return tuple(each.name for each in fields(cls) if each.metadata.get(mark))

    def summary(self) -> dict[str, Any]:
        """Return the options that numbers depend on, as plain values for the record."""
        models = self.models
        if isinstance(models, dict):
            models = {str(k): _spelled(v) for k, v in models.items()}
        elif models is not None and not isinstance(models, str):
            models = [m if isinstance(m, str) else _spelled(m) for m in models]
        resolved = self.resolved_loss
        loss = self.loss if isinstance(self.loss, str) else resolved.name if resolved else "auto"
        where = self.names("where")
        plain = {name: value for name, value in self.get_params().items() if name not in where}
        return {**plain, "models": models, "loss": loss}

    def __repr__(self) -> str:
        changed = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)
            if getattr(self, each.name) != each.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _spelled(model: Any) -> str:
    """Return an estimator's repr, or its type where it has none."""
    try:
        return repr(model)
    except Exception:  # scikit-learn's repr reads parameters, which a faulty estimator lacks
        return type(model).__name__
