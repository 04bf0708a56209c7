"""The encoder-head Cross-Learning Score (algorithm 3): compare, rank and matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from datakin._core.checks import check_choice, check_count, check_positive, check_seed
from datakin._core.exceptions import DatakinError, announce, warn
from datakin._core.warned import filters_kept
from datakin.cross_errors.options import Options
from datakin.cross_errors.table import ErrorTable
from datakin.data import Dataset, for_comparison, for_matrix, for_ranking
from datakin.deep.encoders import make_encoder
from datakin.deep.heads import FOLDS, HeadOptions
from datakin.deep.readers import ITEMS
from datakin.deep.run import DeepMeasurement, Settings
from datakin.deep.training import Training, pick_device
from datakin.execution.agreement import Names
from datakin.execution.running import measured
from datakin.results import Comparison, Matrix, Ranking
from datakin.scoring.matrices import fill_matrix
from datakin.scoring.pairs import compare_pair
from datakin.scoring.rankings import rank_sources

MORE = " The same call goes on from its checkpoints."


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
    weights : path, state dict or "imagenet", optional
        For an encoder given by name; the file is that of ``torch.save(model.state_dict(), path)``.
    loss : str or callable
        As in `datakin.CrossLearningScore`.
    zones : {"paper", "gain"}
        "gain" makes no calls: nothing is tried here, and a source that was not tried has no call.
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
        training = Training(epochs, batch_size, lr, patience, pick_device(device))
        check_count("repeats", repeats, 1)
        check_count("hidden", hidden, 1)
        check_positive("C", C)
        check_seed(random_state)
        check_positive("test_size", test_size)
        if test_size >= 1:
            raise DatakinError(
                f"The 'test_size' parameter must be a share between 0 and 1. Got {test_size!r} instead."
            )
        made = make_encoder(encoder, weights)
        is_trained = made.start is not None and not freeze
        if scale == "auto":
            scale = "whole" if is_trained else "each"
        options = Options(
            estimate=f"{head} head",
            cv=FOLDS,
            loss=loss,
            zones=zones,
            repeats=repeats,
            random_state=random_state,
        )
        fitting = HeadOptions(head, C, hidden, training.device, scale)
        self.settings = Settings(made, is_trained, fitting, training, test_size, options)
        if freeze and made.is_random:
            raise DatakinError(
                f"freeze=True keeps the encoder's weights, and {made.label!r} has none yet. "
                f"Pass weights=, or use deep.pretrained('efficientnet_lite0')."
            )
        self.checkpoint = checkpoint

    def __repr__(self) -> str:
        s = self.settings
        kept = "" if s.trained else ", kept"
        how = f"{s.head.kind} head, {s.options.repeats} repeat(s)"
        return f"EncoderHeadScore({s.encoder.label}{kept}; {how})"

    def cost(self, n_pairs: int) -> str:
        """Say what comparing some pairs will cost."""
        s = self.settings
        if not s.trained:
            return f"{n_pairs} pair(s) with one encoder: every dataset is embedded once."
        repeats = s.options.repeats
        return (
            f"{n_pairs} pair(s) x {repeats} repeat(s): {n_pairs * repeats} encoders are trained, up to "
            f"{s.training.epochs} epochs each. freeze=True would train none."
        )

    @filters_kept()
    def compare(self, target: Any, source: Any) -> Comparison:
        """Compare one target with one source, each a Dataset or (X, y), as `datakin.score` does."""
        datasets = for_comparison(target, source, ITEMS)
        names = (datasets[0].name, datasets[1].name)
        said = "Interrupted before the pair was finished."
        comparison = compare_pair(self._measured(datasets, [names], said), *names)
        announce([comparison])
        return comparison

    @filters_kept()
    def rank(self, target: Any, sources: Any) -> Ranking:
        """Rank several sources (in a list or mapping) for one target, as `datakin.rank` does."""
        datasets = for_ranking(target, sources, ITEMS)
        first, *others = (d.name for d in datasets)
        pairs = [(first, name) for name in others]
        said = f"Interrupted with {{}} of {len(pairs)} sources finished."
        look = partial(rank_sources, target=first)
        ranking = look(self._measured(datasets, pairs, said, look))
        announce(ranking)
        return ranking

    @filters_kept()
    def matrix(self, datasets: Any) -> Matrix:
        """Compare every dataset (in a list or mapping) with every other, as `datakin.matrix` does."""
        members = for_matrix(datasets, ITEMS)
        pairs = list(combinations([d.name for d in members], 2))
        said = f"Interrupted with {{}} of {len(pairs)} pairs finished."
        result, told = fill_matrix(self._measured(members, pairs, said))
        announce(told)
        return result

    def _measured(
        self, datasets: Sequence[Dataset], pairs: Sequence[Names], said: str, look: Any = None
    ) -> ErrorTable:
        """Measure pairs; say before what many trainings will cost, and when interrupted that they go on."""
        if self.settings.trained and len(pairs) > 1:
            warn(self.cost(len(pairs)))
        measurement = DeepMeasurement(datasets, pairs, self.settings, self.checkpoint)

        def say(n_finished: int) -> str:
            is_kept = measurement.store.is_checkpoint and measurement.store.pieces
            return f"{said.format(n_finished)}{MORE if is_kept else ''}"

        return measured(measurement, say, look)
