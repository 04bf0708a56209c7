"""The encoder-head Cross-Learning Score (algorithm 3): compare, rank and matrix."""

from __future__ import annotations

import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted
from datakin.data import check_names, pair
from datakin.deep.encoders import make_encoder
from datakin.deep.feed import coerce_items, collect_items
from datakin.deep.heads import HeadOptions
from datakin.deep.pretrained import pick_device
from datakin.deep.run import DeepRun, Settings, check_learnable
from datakin.deep.training import Training
from datakin.distances.options import check_choice, check_count, check_positive, check_seed
from datakin.results import Comparison, Matrix, Ranking
from datakin.results.record import make_provenance
from datakin.results.zones import Zone
from datakin.scoring.pairs import gain_zones

__all__ = ["EncoderHeadScore"]


class EncoderHeadScore:
    """The Cross-Learning Score of heads on a shared encoder.

    Both datasets are split into training and test rows. Stage 1 trains one encoder on the training
    rows of both with a temporary head, or keeps a given encoder as it is. Stage 2 fits a head for
    each dataset on the embeddings of its training rows and tests both heads on both sets of test
    rows. A mismatch of the features that a shared encoder can repair costs nothing, as in
    fine-tuning; what is left is a mismatch of the tasks.

    Parameters
    ----------
    encoder : torch.nn.Module, str or callable
        A module that returns (n, d); "identity", "resnet18", "efficientnet_lite0", "minilm" or a
        name of torchvision's or timm's; a function of arrays (or of lists of texts), which is kept
        as it is.
    head : {"linear", "mlp"}
        Linear: logistic (for numbers ridge) regression, solved exactly. MLP: one hidden layer.
    epochs, batch_size, lr, patience
        Of stage 1: at most so many passes, stopped early after `patience` epochs without progress
        on rows set aside. Memory is bounded by the batch.
    freeze : bool
        Keep the encoder's weights: no training, and one embedding for each dataset instead of one
        for each pair.
    test_size : float
        Share of rows that test. Rows of one group stay together.
    repeats : int
        Number of splits, each with an encoder of its own.
    device : str
        "auto" is a GPU where there is one.
    random_state : int
    weights : path or "imagenet", optional
        For an encoder given by name.
    loss : str or callable
        As in `datakin.CrossLearningScore`.
    zones : {"paper", "gain"}
    scale : {"auto", "each", "whole"}
        Heads divide each feature by its spread over their training rows, or all by one number.
        "auto": one number for an encoder trained on both datasets, each otherwise.
    C : float
        Inverse strength of the linear head's penalty.
    hidden : int
        Hidden units of the MLP head.
    checkpoint : path, optional
        A folder that keeps every finished repeat: an interrupted run goes on from there.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 3))
    >>> y = (X[:, 0] + 0.5 * rng.standard_normal(400) > 0).astype(int)
    >>> cls = EncoderHeadScore("identity", repeats=2)
    >>> cls.compare((X[:200], y[:200]), (X[200:], 1 - y[200:])).zone
    <Zone.NEGATIVE: 'negative'>
    """

    def __init__(
        self,
        encoder: Any,
        *,
        head: str = "linear",
        epochs: int = 10,
        batch_size: int = 64,
        lr: float = 1e-3,
        patience: int = 3,
        freeze: bool = False,
        test_size: float = 0.3,
        repeats: int = 5,
        device: str = "auto",
        random_state: int = 0,
        weights: Any = None,
        loss: Any = "auto",
        zones: str = "paper",
        scale: str = "auto",
        C: float = 1.0,
        hidden: int = 64,
        checkpoint: str | Path | None = None,
    ) -> None:
        check_choice("head", head, ("linear", "mlp"))
        check_choice("scale", scale, ("auto", "each", "whole"))
        for name, count in (("epochs", epochs), ("repeats", repeats), ("patience", patience)):
            check_count(name, count, 1)
        check_count("batch_size", batch_size, 2)
        check_count("hidden", hidden, 1)
        check_positive("lr", lr)
        check_positive("C", C)
        check_seed(random_state)
        check_positive("test_size", test_size)
        if test_size >= 1:
            raise DatakinError(
                f"The 'test_size' parameter must be a share between 0 and 1. Got {test_size!r} instead."
            )
        made = make_encoder(encoder, weights)
        where = pick_device(device)
        if scale == "auto":
            scale = "whole" if made.can_learn and not freeze else "each"
        self.settings = Settings(
            made,
            made.can_learn and not freeze,
            HeadOptions(head, C, hidden, where, scale),
            Training(epochs, batch_size, lr, patience, where),
            test_size,
            repeats,
            loss,
            zones,
            random_state,
        )
        check_learnable(self.settings, freeze)
        self.settings.options.check()
        self.checkpoint = checkpoint

    def __repr__(self) -> str:
        s = self.settings
        kept = "" if s.trained else ", kept"
        return (
            f"EncoderHeadScore({s.encoder.label}{kept}; {s.head.kind} head, {s.repeats} repeat(s))"
        )

    def cost(self, n_pairs: int) -> str:
        """Say what comparing some pairs will cost."""
        s = self.settings
        if not s.trained:
            return f"{n_pairs} pair(s) with one encoder: every dataset is embedded once."
        return (
            f"{n_pairs} pair(s) x {s.repeats} repeat(s): {n_pairs * s.repeats} encoders are trained, up to "
            f"{s.training.epochs} epochs each. freeze=True would train none."
        )

    def compare(self, target: Any, source: Any) -> Comparison:
        """Compare one target with one source.

        Parameters
        ----------
        target, source : Dataset or (X, y)

        Returns
        -------
        Comparison
        """
        datasets = [coerce_items(target, "target"), coerce_items(source, "source")]
        if datasets[0].name == datasets[1].name and pair(*datasets).identical:
            datasets[1] = datasets[1].renamed(f"{datasets[1].name} (again)")
        check_names(datasets)
        run = DeepRun(datasets, [(0, 1)], self.settings, self.checkpoint)
        if run.interrupted:
            raise Interrupted("Interrupted before the pair was finished." + self._resumes())
        _announce(run)
        return run.comparisons[0, 1]

    def rank(self, target: Any, sources: Any) -> Ranking:
        """Rank several sources for one target, closest kin first.

        Parameters
        ----------
        target : Dataset or (X, y)
        sources : list of datasets, or mapping of name to dataset

        Returns
        -------
        Ranking
        """
        datasets = [coerce_items(target, "target"), *collect_items(sources, "source")]
        if len(datasets) < 2:
            raise DatakinError("A ranking needs at least one source. Got none.")
        check_names(datasets)
        self._say_cost(len(datasets) - 1)
        pairs = [(0, j) for j in range(1, len(datasets))]
        run = DeepRun(datasets, pairs, self.settings, self.checkpoint)
        found = tuple(sorted(run.comparisons.values(), key=lambda c: (c.score, c.source)))
        ranking = None
        if found:
            first = run.first_places()
            ranking = Ranking(datasets[0].name, found, first, run.n_fits, not run.interrupted)
        if run.interrupted:
            raise Interrupted(
                f"Interrupted with {len(found)} of {len(pairs)} sources finished."
                + self._resumes(),
                ranking,
            )
        assert ranking is not None
        _announce(run)
        return ranking

    def matrix(self, datasets: Any) -> Matrix:
        """Compare every dataset with every other.

        Parameters
        ----------
        datasets : list of datasets, or mapping of name to dataset

        Returns
        -------
        Matrix
        """
        members = collect_items(datasets, "dataset")
        if len(members) < 2:
            raise DatakinError(f"A matrix needs at least two datasets. Got {len(members)}.")
        check_names(members)
        pairs = list(combinations(range(len(members)), 2))
        self._say_cost(len(pairs))
        run = DeepRun(members, pairs, self.settings, self.checkpoint)
        if run.interrupted:
            raise Interrupted(
                f"Interrupted with {len(run.comparisons)} of {len(pairs)} pairs finished."
                + self._resumes()
            )
        _announce(run)
        return _matrix(run)

    def _say_cost(self, n_pairs: int) -> None:
        """Say, before it starts, what many trainings will cost."""
        if self.settings.trained and n_pairs > 1:
            warnings.warn(self.cost(n_pairs), DatakinWarning, stacklevel=3)

    def _resumes(self) -> str:
        return " The same call goes on from its checkpoints." if self.checkpoint else ""


def _announce(run: DeepRun) -> None:
    notes: dict[str, list[str]] = {}
    for c in run.comparisons.values():
        for note in c.notes:
            notes.setdefault(note, []).append(c.source)
    lines = [f"{', '.join(dict.fromkeys(names))}: {note}" for note, names in notes.items()]
    if lines:
        warnings.warn("\n".join(lines), DatakinWarning, stacklevel=3)


def _matrix(run: DeepRun) -> Matrix:
    """Collect the comparisons into square arrays."""
    n = len(run.datasets)
    names = tuple(d.name for d in run.datasets)
    scores, spreads, lows, highs, thresholds, gaps = (np.zeros((n, n)) for _ in range(6))
    errors = np.full((n, n), np.nan)
    zones = [[Zone.POSITIVE] * n for _ in range(n)]
    notes: dict[str, None] = {}
    for (i, j), c in run.comparisons.items():
        high, forth, back = c.decision.high, c.zone, c.zone
        if c.decision.rule == "gain" and c.outlook is not None:
            high, forth, back = gain_zones(*run.sides((i, j)), run.settings.options)
        for array, value in (
            (scores, c.score),
            (spreads, c.standard_error),
            (lows, c.interval[0]),
            (highs, c.interval[1]),
            (thresholds, high),
        ):
            array[i, j] = array[j, i] = value
        zones[j][i], zones[i][j] = forth, back
        gaps[j, i], gaps[i, j] = c.source_to_target, c.target_to_source
        errors[i, j] = c.cross_errors.get(names[i], np.nan)
        errors[j, i] = c.cross_errors.get(names[j], np.nan)
        notes |= dict.fromkeys(c.notes)
        if not run.settings.trained and c.own_errors:
            errors[i, i], errors[j, j] = c.own_errors[names[i]], c.own_errors[names[j]]
    prints = {d.name: d.fingerprint for d in run.datasets}
    return Matrix(
        names,
        scores,
        run.n_fits,
        make_provenance(run.settings.random_state, run.settings.summary(), prints),
        notes=tuple(notes),
        standard_errors=spreads,
        lows=lows,
        highs=highs,
        discrepancies=gaps,
        errors=errors,
        zones=tuple(tuple(row) for row in zones),
        thresholds=thresholds,
    )
