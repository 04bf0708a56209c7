"""A run: encoders trained or kept, embeddings made, heads tested, comparisons built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.progress import progress
from datakin._core.seeds import derive_seed
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.deep.checkpoints import Checkpoints, digest_of
from datakin.deep.encoders import Encoder, embed
from datakin.deep.heads import HeadOptions
from datakin.deep.holdout import FOLDS, Heads, Split, errors_on, fit_heads, make_split, own_learner
from datakin.deep.items import Feed, make_feeds
from datakin.deep.training import Training, fit_network, seeded
from datakin.errors import Errors
from datakin.learning.losses import choose_loss, resolve_loss
from datakin.results import Comparison
from datakin.results.record import make_provenance
from datakin.scoring.identity import compare_with_itself
from datakin.scoring.options import Options
from datakin.scoring.pairs import Side, compare_pair
from datakin.scoring.uncertainty import make_estimate

__all__ = ["DeepRun", "Settings"]

ONE_REPEAT = "one repeat: the interval does not know the luck of the encoder's training"


@dataclass(frozen=True)
class Settings:
    """Everything that decides the numbers of an encoder-head score."""

    encoder: Encoder
    trained: bool
    head: HeadOptions
    training: Training
    test_size: float
    repeats: int
    loss: Any
    zones: str
    random_state: int

    @property
    def options(self) -> Options:
        """The options that the scores of all kinds share."""
        return Options(
            estimate=f"{self.head.kind} head",
            cv=FOLDS,
            loss=self.loss,
            zones=self.zones,
            repeats=self.repeats,
            random_state=self.random_state,
        )

    def summary(self) -> dict[str, Any]:
        """Return plain values for the record."""
        loss = resolve_loss(self.loss)
        return {
            "method": "EncoderHeadScore",
            "encoder": self.encoder.label,
            "trained": self.trained,
            "head": self.head.kind,
            "scale": self.head.scale,
            "C": self.head.C,
            "hidden": self.head.hidden,
            "epochs": self.training.epochs,
            "batch_size": self.training.batch_size,
            "lr": self.training.lr,
            "patience": self.training.patience,
            "test_size": self.test_size,
            "repeats": self.repeats,
            "loss": "auto" if loss is None else loss.name,
            "zones": self.zones,
            "random_state": self.random_state,
        }


class DeepRun:
    """Pairs of datasets compared with an encoder each, or with one fixed encoder for all."""

    def __init__(
        self,
        datasets: Sequence[Dataset],
        pairs: Iterable[tuple[int, int]],
        settings: Settings,
        checkpoint: Any = None,
    ) -> None:
        self.datasets, self.settings = list(datasets), settings
        self.checkpoints = Checkpoints(checkpoint)
        self.pairings = {(i, j): pair(datasets[i], datasets[j]) for i, j in pairs}
        self.fixed: Any = settings.encoder.function
        if self.fixed is None and not settings.trained:
            assert settings.encoder.start is not None
            self.fixed = settings.encoder.start().to(settings.training.device)
        self.feeds = {key: self._feeds(key) for key in self.pairings}
        self.splits: dict[tuple[int, int], Split] = {}
        for i in {i for key in self.pairings for i in key}:
            for r in range(settings.repeats):
                self.splits[i, r] = make_split(
                    datasets[i], settings.test_size, settings.random_state, r
                )
        self.embeddings: dict[tuple[int, tuple[str, ...]], Array] = {}
        self.heads: dict[tuple[int, int, tuple[str, ...]], Heads] = {}
        self.parts: dict[tuple[int, int], list[list[Errors]]] = {}
        self.n_fits, self.n_encoders, self.interrupted = 0, 0, False
        self._work()
        self.comparisons = {
            key: self._compare(key)
            for key, common in self.pairings.items()
            if common.identical or len(self.parts.get(key, ())) == settings.repeats
        }

    def _feeds(self, key: tuple[int, int]) -> list[Feed]:
        probe = self.fixed
        if probe is None and self.settings.encoder.start is not None:
            probe = self.settings.encoder.start()
        both = [self.datasets[i] for i in key]
        return make_feeds(both, self.pairings[key].columns, probe)

    def _work(self) -> None:
        todo = [
            (key, r)
            for key, common in self.pairings.items()
            if not common.identical
            for r in range(self.settings.repeats)
        ]
        what = "encoder(s) to train" if self.settings.trained else "split(s)"
        try:
            with progress(f"encoder-head: {len(todo)} {what}", len(todo)) as advance:
                for key, r in todo:
                    self.parts.setdefault(key, []).append(self._repeat(key, r))
                    advance()
        except KeyboardInterrupt:
            self.interrupted = True

    @property
    def resumes(self) -> str:
        """What to say after an interruption."""
        return self.checkpoints.resumes(any(self.parts.values()))

    def _repeat(self, key: tuple[int, int], r: int) -> list[Errors]:
        """Return own and cross errors of target and source, from disk where they are."""
        name = self._key(key, r)
        found = self.checkpoints.read(name)
        if found is not None:
            return found
        common, columns = self.pairings[key], self.pairings[key].columns
        encoder = self._trained(key, r) if self.settings.trained else self.fixed
        Z, heads = [], []
        for i, feed in zip(key, self.feeds[key], strict=True):
            if self.settings.trained:
                made = self._embed(encoder, feed)
                heads.append(self._fit_heads(made, i, r))
            else:
                if (i, columns) not in self.embeddings:
                    self.embeddings[i, columns] = self._embed(encoder, feed)
                made = self.embeddings[i, columns]
                if (i, r, columns) not in self.heads:
                    self.heads[i, r, columns] = self._fit_heads(made, i, r)
                heads.append(self.heads[i, r, columns])
            Z.append(made)
        parts = self._test(key, r, Z, heads, common)
        self.checkpoints.write(name, parts)
        return parts

    def _embed(self, encoder: Any, feed: Feed) -> Array:
        training = self.settings.training
        return embed(encoder, feed.load, len(feed), training.batch_size, training.device)

    def _fit_heads(self, Z: Array, i: int, r: int) -> Heads:
        self.n_fits += 1 + FOLDS
        # By what the head learns, not by who it is: the order of a pair must not matter.
        seed = derive_seed(self.settings.random_state, r, self.datasets[i].fingerprint)
        return fit_heads(Z, self.datasets[i], self.splits[i, r], self.settings.head, seed)

    def _test(
        self, key: tuple[int, int], r: int, Z: list[Array], heads: list[Heads], common: Pairing
    ) -> list[Errors]:
        """Return the errors of target on target, source on source, source on target, target on source."""
        shared = (common.shared_target, common.shared_source)
        resolved = resolve_loss(self.settings.loss)
        found = []
        for trained, tested in ((0, 0), (1, 1), (1, 0), (0, 1)):
            other = self.datasets[key[tested]]
            split = self.splits[key[tested], r]
            loss = choose_loss(resolved, other)
            found.append(
                errors_on(
                    heads[trained], Z[tested], other, split, loss, common.classes, shared[tested]
                )
            )
        return found

    def _trained(self, key: tuple[int, int], r: int) -> Any:
        """Stage 1: train one encoder on the training rows of both, with a head thrown away."""
        settings, common = self.settings, self.pairings[key]
        # In an order of their own, so that swapping target and source changes no draw.
        order = sorted((0, 1), key=lambda side: self.datasets[key[side]].fingerprint)
        members = [self.datasets[key[side]] for side in order]
        feeds = [self.feeds[key][side] for side in order]
        first = len(feeds[0])
        rows = np.concatenate(
            [self.splits[key[order[0]], r].train, first + self.splits[key[order[1]], r].train]
        )
        y = _joint_labels(members, common.classes, rows)
        seed = derive_seed(settings.random_state, "encoder", r, *(d.fingerprint for d in members))
        assert settings.encoder.start is not None
        with seeded(seed):
            encoder = settings.encoder.start()
            fit_network(
                encoder,
                None,
                lambda batch: _joint_batch(feeds, first, batch),
                y,
                rows,
                n_classes=len(common.classes),
                training=settings.training,
                seed=seed,
            )
        self.n_encoders += 1
        return encoder

    def _key(self, key: tuple[int, int], r: int) -> str:
        """Return the name of a repeat's checkpoint: everything that decides its numbers."""
        if self.checkpoints.folder is None:
            return ""
        both = [self.datasets[i] for i in key]
        summary = {
            k: v for k, v in self.settings.summary().items() if k not in ("repeats", "zones")
        }
        digest = self.settings.encoder.digest(self.feeds[key][0].load(np.arange(4)))
        return digest_of([summary, digest, r, [(d.name, d.fingerprint) for d in both]])

    @property
    def options(self) -> Options:
        """The options that the scores of all kinds share."""
        return self.settings.options

    def sides(self, i: int, j: int) -> tuple[Side, Side]:
        """Return both sides of a finished pair."""
        label, parts = self.options.estimate, self.parts[i, j]
        sides = []
        for at, own, cross in ((i, 0, 3), (j, 1, 2)):
            learners = [
                own_learner(part[own], self.splits[at, r], label, 1 + FOLDS)
                for r, part in enumerate(parts)
            ]
            dataset = self.datasets[at]
            loss = choose_loss(resolve_loss(self.settings.loss), dataset)
            crosses = [part[cross] for part in parts]
            sides.append(Side(dataset, loss, learners, crosses, dataset.groups))
        return sides[0], sides[1]

    def _compare(self, key: tuple[int, int]) -> Comparison:
        settings, common = self.settings, self.pairings[key]
        both = [self.datasets[i] for i in key]
        prints = {d.name: d.fingerprint for d in both}
        provenance = make_provenance(settings.random_state, settings.summary(), prints)
        if common.identical:
            return compare_with_itself(both[0], both[1], settings.options, provenance)
        found = compare_pair(*self.sides(*key), common, settings.options, provenance)
        return _over_repeats(found, self.parts[key], settings)


def _joint_labels(members: Sequence[Dataset], classes: tuple[str, ...], rows: Array) -> Array:
    """Return the labels of both datasets in one code, or standardised over the training rows."""
    if not classes:
        y = np.concatenate([d.y for d in members])
        return np.asarray((y - y[rows].mean()) / (y[rows].std() or 1.0))
    position = {name: code for code, name in enumerate(classes)}
    return np.concatenate([np.array([position[c] for c in d.classes])[d.y] for d in members])


def _joint_batch(feeds: Sequence[Feed], first: int, rows: Array) -> Any:
    """Return rows of both datasets, numbered on from the first to the second."""
    inside = rows < first
    parts = [feed.load(part) for feed, part in _parts(feeds, first, rows, inside) if len(part)]
    if isinstance(parts[0], list):
        loaded = [text for part in parts for text in part]
        back = np.argsort(np.argsort(~inside, kind="stable"), kind="stable")
        return [loaded[i] for i in back]
    batch = np.empty((len(rows), *parts[0].shape[1:]), dtype=np.float32)
    masks = [mask for mask in (inside, ~inside) if mask.any()]
    for mask, part in zip(masks, parts, strict=True):
        batch[mask] = part
    return batch


def _parts(
    feeds: Sequence[Feed], first: int, rows: Array, inside: Array
) -> list[tuple[Feed, Array]]:
    return [(feeds[0], rows[inside]), (feeds[1], rows[~inside] - first)]


def _over_repeats(
    found: Comparison, parts: Sequence[Sequence[Errors]], settings: Settings
) -> Comparison:
    """Widen the interval where repeats disagree by more than rows and heads explain.

    The variance over repeats is raised for their overlap (Nadeau and Bengio, 2003). It knows what
    the rows tested do not: how encoders trained from other rows and other seeds differ.
    """
    if len(parts) < 2:
        notes = (*found.notes, *([ONE_REPEAT] if settings.trained else []))
        return replace(found, notes=notes)
    ways = np.array(
        [
            [
                to.error("fold")[0] - own_t.error("fold")[0],
                back.error("fold")[0] - own_s.error("fold")[0],
            ]
            for own_t, own_s, to, back in parts
        ]
    )
    raised = 1 / len(parts) + settings.test_size / (1 - settings.test_size)
    score = _wider(found.sizes["matched"], ways.mean(axis=1), raised)
    names = ("source_to_target", "target_to_source")
    directions = {
        name: _wider(found.directions[name], ways[:, k], raised) for k, name in enumerate(names)
    }
    return replace(
        found,
        standard_error=score.standard_error,
        interval=(score.low, score.high),
        directions=directions,
        sizes={**found.sizes, "paper": score, "matched": score},
    )


def _wider(estimate: Any, values: Array, raised: float) -> Any:
    error = float(np.sqrt(np.var(values, ddof=1) * raised))
    if error <= estimate.standard_error:
        return estimate
    return make_estimate(estimate.value, error, FOLDS)


def check_learnable(settings: Settings, freeze: bool) -> None:
    """Refuse to keep weights that nobody has learned."""
    if freeze and settings.encoder.is_random:
        raise DatakinError(
            f"freeze=True keeps the encoder's weights, and {settings.encoder.label!r} has none yet. "
            f"Pass weights=, or use deep.pretrained('efficientnet_lite0')."
        )
