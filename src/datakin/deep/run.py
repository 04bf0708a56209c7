"""A measurement with encoders: trained or kept, embeddings made, heads tested on both datasets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, counted
from datakin._core.progress import progress
from datakin._core.repeatability import derive_seed
from datakin.cross_errors import Errors, ErrorTable, Key, Options, PairFacts, Piece
from datakin.cross_errors.files import Folder
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.deep.encoders import Encoder, embed
from datakin.deep.heads import HeadOptions
from datakin.deep.holdout import FOLDS, Heads, Split, errors_on, fit_heads, make_split, own_record
from datakin.deep.items import Feed, make_feeds
from datakin.deep.training import Training, fit_network, seeded
from datakin.execution.agreement import about_run, member_of
from datakin.execution.store import Store
from datakin.execution.units import labels_of
from datakin.learners.losses import choose_loss, resolve_loss

__all__ = ["DeepMeasurement", "Settings", "check_learnable"]

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

    options: Options = field(init=False)

    def __post_init__(self) -> None:
        """Make the options that all scores share, so that bad ones are refused at once."""
        options = Options(
            estimate=f"{self.head.kind} head",
            cv=FOLDS,
            loss=self.loss,
            zones=self.zones,
            repeats=self.repeats,
            random_state=self.random_state,
        )
        object.__setattr__(self, "options", options)

    @property
    def loss_of(self) -> Any:
        """The function that returns a dataset's loss."""
        resolved = resolve_loss(self.loss)
        return lambda dataset: choose_loss(resolved, dataset)

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


Names = tuple[str, str]


@dataclass(frozen=True)
class _Unit:
    """One repeat of one pair."""

    names: Names
    repeat: int


class DeepMeasurement:
    """Pairs of datasets compared with an encoder each, or with one fixed encoder for all.

    Parameters
    ----------
    datasets : sequence of Dataset
    pairs : sequence of (target, source)
        Names.
    settings : Settings
    checkpoint : path or None
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        pairs: Sequence[Names],
        settings: Settings,
        checkpoint: Any = None,
    ) -> None:
        self.settings = settings
        self.datasets = {d.name: d for d in datasets}
        self.pairings = {(t, s): pair(self.datasets[t], self.datasets[s]) for t, s in pairs}
        self.about = about_run(settings.options, must_be_known=checkpoint is not None)
        self.about["options"] = settings.summary()
        self.store = Store(self._open(checkpoint))
        self.fixed: Any = settings.encoder.function
        if self.fixed is None and not settings.trained:
            assert settings.encoder.start is not None
            self.fixed = settings.encoder.start().to(settings.training.device)
        self.feeds = {names: self._feeds(names) for names in self.pairings}
        self.splits: dict[tuple[str, int], Split] = {}
        for name in {name for names in self.pairings for name in names}:
            for r in range(settings.repeats):
                self.splits[name, r] = make_split(
                    self.datasets[name], settings.test_size, settings.random_state, r
                )
        self.embeddings: dict[tuple[str, tuple[str, ...]], Array] = {}
        self.heads: dict[tuple[str, int, tuple[str, ...]], Heads] = {}
        self.finished: dict[Names, PairFacts] = {}
        loss_of = settings.loss_of
        self.members = {n: member_of(d, loss_of(d), labels_of(d)) for n, d in self.datasets.items()}

    def _open(self, checkpoint: Any) -> Folder | None:
        """Return the checkpoint folder: other pairs, settings and further repeats may share it."""
        if checkpoint is None:
            return None
        method = {"method": self.about["options"]["method"]}
        return Folder(checkpoint, {**self.about, "options": method, "datasets": {}})

    def run(self) -> Iterator[Names]:
        """Yield each pair when it is finished."""
        units, places = {}, {}
        for names, common in self.pairings.items():
            if common.identical:
                self.finished[names] = self._facts(names)
                yield names
                continue
            for r in range(self.settings.repeats):
                units[names, r] = _Unit(names, r)
                places[names, r] = ("-".join(names), self._identity(names, r))
        self.store.expect(places.values())
        self._note_checkpoint()
        left = {names: self.settings.repeats for names, _ in units}
        for made in self.store.run(units, places, self._runner):
            names = self._names_of(made)
            left[names] -= 1
            if not left[names]:
                self.finished[names] = self._facts(names)
                yield names
        self._note_checkpoint()

    def table(self, *, complete: bool = True) -> ErrorTable:
        """Return what is finished."""
        return ErrorTable(
            self.settings.options,
            self.about,
            self.members,
            dict(self.finished),
            dict(self.store.pieces),
            keep="losses",
            complete=complete,
            test_size=self.settings.test_size,
            fits=self._fits(),
            holder=self.store,
        )

    def _fits(self) -> dict[str, int]:
        """Return the fits by what was fitted: heads on a kept encoder serve all pairs of a dataset."""
        fits: dict[str, int] = {}
        for key, piece in self.store.pieces.items():
            fitted = key if self.settings.trained else key._replace(partner="")
            n_fits = sum(own.n_fits for own in piece.own)
            fits[json.dumps(fitted)] = max(n_fits, fits.get(json.dumps(fitted), 0))
        return fits

    def view(self, names: Names) -> ErrorTable:
        """Return a table of one pair."""
        return replace(self.table(), pairs={names: self.finished[names]})

    def saying(self, said: str) -> Callable[[int], str]:
        """Return what to say after an interruption, with a promise where some of it was kept."""

        def say(n_finished: int) -> str:
            kept = self.store.is_checkpoint and self.store.pieces
            more = " The same call goes on from its checkpoints." if kept else ""
            return said.format(n_finished) + more

        return say

    def _names_of(self, made: dict[Key, Piece]) -> Names:
        tested = {name for piece in made.values() for name in piece.crosses}
        return next(names for names in self.pairings if set(names) == tested)

    def _note_checkpoint(self) -> None:
        facts = {names: self._facts(names) for names in self.pairings}
        self.store.note(replace(self.table(), pairs=facts, pieces={}))

    def _keys(self, names: Names) -> tuple[Key, Key]:
        columns = self.pairings[names].columns
        # Rows that both datasets hold are left out of own errors too, so that these belong to a pair.
        return Key(names[0], columns, -1, names[1]), Key(names[1], columns, -1, names[0])

    def _facts(self, names: Names) -> PairFacts:
        common = self.pairings[names]
        is_single = self.settings.trained and self.settings.repeats < 2
        more = (ONE_REPEAT,) if is_single else ()
        return PairFacts(
            *names,
            common.columns,
            common.classes,
            (int(common.shared_target.sum()), int(common.shared_source.sum())),
            (common.shared_target, common.shared_source),
            common.identical,
            ((*common.notes, *more), (*common.back_notes, *more)),
            None if common.identical else self._keys(names),
        )

    def _runner(self, units: list[_Unit]) -> Iterator[tuple[int, dict[Key, Piece]]]:
        what = counted(len(units), "encoder" if self.settings.trained else "split")
        more = " to train" if self.settings.trained else ""
        with progress(f"encoder-head: {what}{more}", len(units)) as advance:
            for position, unit in enumerate(units):
                yield position, self._repeat(unit.names, unit.repeat)
                advance()

    def _repeat(self, names: Names, r: int) -> dict[Key, Piece]:
        """Return own and cross errors of target and source."""
        columns = self.pairings[names].columns
        encoder = self._trained(names, r) if self.settings.trained else self.fixed
        Z, heads = [], []
        for name, feed in zip(names, self.feeds[names], strict=True):
            if self.settings.trained:
                made = self._embed(encoder, feed)
                heads.append(self._fit_heads(made, name, r))
            else:
                if (name, columns) not in self.embeddings:
                    self.embeddings[name, columns] = self._embed(encoder, feed)
                made = self.embeddings[name, columns]
                if (name, r, columns) not in self.heads:
                    self.heads[name, r, columns] = self._fit_heads(made, name, r)
                heads.append(self.heads[name, r, columns])
            Z.append(made)
        own_t, own_s, to_target, to_source = self._test(names, r, Z, heads)
        label = self.settings.options.estimate
        found = {}
        for at, key, own, cross in zip(
            (0, 1), self._keys(names), (own_t, own_s), (to_source, to_target), strict=True
        ):
            trained = own_record(own, self.splits[names[at], r], label, 1 + FOLDS)
            found[key] = Piece((trained,), {names[1 - at]: (cross,)}, repeat=r)
        return found

    def _feeds(self, names: Names) -> list[Feed]:
        probe = self.fixed
        if probe is None and self.settings.encoder.start is not None:
            probe = self.settings.encoder.start()
        both = [self.datasets[name] for name in names]
        return make_feeds(both, self.pairings[names].columns, probe)

    def _embed(self, encoder: Any, feed: Feed) -> Array:
        training = self.settings.training
        return embed(encoder, feed.load, len(feed), training.batch_size, training.device)

    def _fit_heads(self, Z: Array, name: str, r: int) -> Heads:
        # By what the head learns, not by who it is: the order of a pair must not matter.
        seed = derive_seed(self.settings.random_state, r, self.datasets[name].fingerprint)
        return fit_heads(Z, self.datasets[name], self.splits[name, r], self.settings.head, seed)

    def _test(self, names: Names, r: int, Z: list[Array], heads: list[Heads]) -> list[Errors]:
        """Return the errors of target on target, source on source, source on target, target on source."""
        common: Pairing = self.pairings[names]
        shared = (common.shared_target, common.shared_source)
        found = []
        for trained, tested in ((0, 0), (1, 1), (1, 0), (0, 1)):
            other = self.datasets[names[tested]]
            split = self.splits[names[tested], r]
            loss = self.settings.loss_of(other)
            found.append(
                errors_on(
                    heads[trained], Z[tested], other, split, loss, common.classes, shared[tested]
                )
            )
        return found

    def _trained(self, names: Names, r: int) -> Any:
        """Stage 1: train one encoder on the training rows of both, with a head thrown away."""
        settings, common = self.settings, self.pairings[names]
        # In an order of their own, so that swapping target and source changes no draw.
        order = sorted((0, 1), key=lambda side: self.datasets[names[side]].fingerprint)
        members = [self.datasets[names[side]] for side in order]
        feeds = [self.feeds[names][side] for side in order]
        first = len(feeds[0])
        rows = np.concatenate(
            [self.splits[names[order[0]], r].train, first + self.splits[names[order[1]], r].train]
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
        return encoder

    def _identity(self, names: Names, r: int) -> list[Any]:
        """Return what a repeat's numbers depend on."""
        if not self.store.is_checkpoint:
            return []
        both = [self.datasets[name] for name in names]
        digest = self.settings.encoder.digest(self.feeds[names][0].load(np.arange(4)))
        summary = self.about["options"]
        decides = {k: v for k, v in summary.items() if k not in ("repeats", "zones")}
        return [decides, digest, r, [(d.name, d.fingerprint) for d in both]]


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


def check_learnable(settings: Settings, freeze: bool) -> None:
    """Refuse to keep weights that nobody has learned."""
    if freeze and settings.encoder.is_random:
        raise DatakinError(
            f"freeze=True keeps the encoder's weights, and {settings.encoder.label!r} has none yet. "
            f"Pass weights=, or use deep.pretrained('efficientnet_lite0')."
        )
