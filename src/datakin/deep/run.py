"""A measurement with encoders: trained or kept, embeddings made, heads tested on both datasets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from datakin._core.exceptions import counted
from datakin._core.progress import progress
from datakin._core.repeatability import derive_seed
from datakin.cross_errors.options import Options
from datakin.cross_errors.records import Errors, Key, PairFacts, Piece
from datakin.cross_errors.table import ErrorTable
from datakin.data import Dataset, pair
from datakin.data.features import Array
from datakin.deep.encoders import Encoder, embed
from datakin.deep.heads import HeadOptions, Heads, errors_on, fit_heads, make_split, own_record
from datakin.deep.items import Contents, make_feeds
from datakin.deep.training import Training, fit_network, seeded
from datakin.execution.agreement import Names, about_run, facts_of, member_of
from datakin.execution.store import Store
from datakin.execution.units import labels_of
from datakin.learners.losses import Loss, choose_loss

ONE_REPEAT = "one repeat: the interval does not know the luck of the encoder's training"


@dataclass(frozen=True)
class Settings:
    """Everything that decides the numbers of an encoder-head score."""

    encoder: Encoder
    trained: bool
    head: HeadOptions
    training: Training
    test_size: float
    options: Options

    def loss_of(self, dataset: Dataset) -> Loss:
        """Return the loss that errors on a dataset are measured in."""
        return choose_loss(self.options.resolved_loss, dataset)

    def summary(self) -> dict[str, Any]:
        """Return plain values for the record."""
        options, head = self.options, self.head
        loss = options.resolved_loss
        return {
            "method": "EncoderHeadScore",
            "encoder": self.encoder.label,
            "trained": self.trained,
            "head": head.kind,
            **{name: getattr(head, name) for name in ("scale", "C", "hidden")},
            **self.training.summary(),
            "test_size": self.test_size,
            "repeats": options.repeats,
            "loss": "auto" if loss is None else loss.name,
            "zones": options.zones,
            "random_state": options.random_state,
        }


class _Unit(NamedTuple):
    """One repeat of one pair; the store asks it for its repeat."""

    names: Names
    repeat: int


class DeepMeasurement:
    """Pairs of datasets compared with an encoder each, or with one fixed encoder for all.

    Parameters
    ----------
    pairs : sequence of (target, source)
        Names.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        pairs: Sequence[Names],
        settings: Settings,
        checkpoint: Any = None,
    ) -> None:
        self.settings, self.repeats = settings, range(settings.options.repeats)
        self.datasets = {d.name: d for d in datasets}
        self.pairings = {(t, s): pair(self.datasets[t], self.datasets[s]) for t, s in pairs}
        self.about = about_run(settings.options, must_be_known=checkpoint is not None)
        self.about["options"] = settings.summary()
        # Other pairs, settings and further repeats may share a checkpoint.
        method = {"method": self.about["options"]["method"]}
        self.store = Store(checkpoint, {**self.about, "options": method, "datasets": {}})
        self.fixed: Any = settings.encoder.function
        if self.fixed is None and not settings.trained:
            self.fixed = settings.encoder.new().to(settings.training.device)
        probe = self.fixed if self.fixed is not None else settings.encoder.new()
        self.feeds = {
            names: make_feeds([self.datasets[name] for name in names], common.columns, probe)
            for names, common in self.pairings.items()
        }
        self.splits = {
            (name, r): make_split(dataset, settings.test_size, settings.options.random_state, r)
            for name, dataset in self.datasets.items()
            for r in self.repeats
        }
        # By a dataset and its columns; heads by the repeat, too.
        self.embeddings: dict[tuple[str, tuple[str, ...]], Array] = {}
        self.heads: dict[tuple[tuple[str, tuple[str, ...]], int], Heads] = {}
        self.finished: dict[Names, PairFacts] = {}
        self.members = {
            n: member_of(d, settings.loss_of(d), labels_of(d)) for n, d in self.datasets.items()
        }

    def run(self) -> Iterator[Names]:
        """Yield each pair when it is finished."""
        units: list[_Unit] = []
        for names, common in self.pairings.items():
            if common.identical:
                self.finished[names] = self._facts(names)
                yield names
            else:
                units += [_Unit(names, r) for r in self.repeats]
        places = {unit: ("-".join(unit.names), self._identity(*unit)) for unit in units}
        self.store.expect(places.values())
        self._note_checkpoint()
        left = {names: len(self.repeats) for names, _ in units}
        for made in self.store.run({unit: unit for unit in units}, places, self._runner):
            key = next(iter(made))  # the target's
            names = key.dataset, key.partner
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
            fitted = json.dumps(key if self.settings.trained else key._replace(partner=""))
            fits[fitted] = max(piece.n_fits, fits.get(fitted, 0))
        return fits

    def _note_checkpoint(self) -> None:
        facts = {names: self._facts(names) for names in self.pairings}
        self.store.note(replace(self.table(), pairs=facts, pieces={}))

    def _keys(self, names: Names) -> tuple[Key, Key]:
        columns = self.pairings[names].columns
        # Rows that both datasets hold are left out of own errors too, so that these belong to a pair.
        return Key(names[0], columns, -1, names[1]), Key(names[1], columns, -1, names[0])

    def _facts(self, names: Names) -> PairFacts:
        common = self.pairings[names]
        is_single = self.settings.trained and len(self.repeats) < 2
        shared, more = (common.shared_target, common.shared_source), (ONE_REPEAT,)
        keys = None if common.identical else self._keys(names)
        return facts_of(names, common, shared, keys, more if is_single else ())

    def _runner(self, units: list[_Unit]) -> Iterator[tuple[int, dict[Key, Piece]]]:
        what = counted(len(units), "encoder" if self.settings.trained else "split")
        more = " to train" if self.settings.trained else ""
        with progress(f"encoder-head: {what}{more}", len(units)) as advance:
            for position, unit in enumerate(units):
                yield position, self._repeat(*unit)
                advance()

    def _repeat(self, names: Names, r: int) -> dict[Key, Piece]:
        """Return own and cross errors of target and source."""
        settings, common = self.settings, self.pairings[names]
        encoder = self.fixed
        if settings.trained:  # what was kept belongs to another encoder
            encoder = self._trained(names, r)
            self.embeddings.clear()
            self.heads.clear()
        Z, heads = [], []
        for name, feed in zip(names, self.feeds[names], strict=True):
            of = name, common.columns
            if of not in self.embeddings:
                size, device = settings.training.batch_size, settings.training.device
                self.embeddings[of] = embed(encoder, feed.load, len(feed), size, device)
            Z.append(self.embeddings[of])
            if (of, r) not in self.heads:
                self.heads[of, r] = self._fit_heads(Z[-1], name, r)
            heads.append(self.heads[of, r])
        shared = common.shared_target, common.shared_source

        def errors(trained: int, tested: int) -> Errors:
            other, split = self.datasets[names[tested]], self.splits[names[tested], r]
            where = other, split, settings.loss_of(other), common.classes, shared[tested]
            return errors_on(heads[trained], Z[tested], *where)

        found = {}
        for at, key in enumerate(self._keys(names)):
            split, label = self.splits[names[at], r], settings.options.estimate
            own = own_record(errors(at, at), split, label)
            found[key] = Piece((own,), {names[1 - at]: (errors(at, 1 - at),)}, repeat=r)
        return found

    def _fit_heads(self, Z: Array, name: str, r: int) -> Heads:
        # By what the head learns, not by who it is: the order of a pair must not matter.
        dataset, settings = self.datasets[name], self.settings
        seed = derive_seed(settings.options.random_state, r, dataset.fingerprint)
        return fit_heads(Z, dataset, self.splits[name, r], settings.head, seed, settings.options)

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
        codes = [np.array([common.classes.index(c) for c in d.classes]) for d in members]
        parts = zip(members, codes, strict=True)
        y = np.concatenate([code[d.y] if common.classes else d.y for d, code in parts])
        prints = [d.fingerprint for d in members]
        seed = derive_seed(settings.options.random_state, "encoder", r, *prints)
        with seeded(seed):
            encoder = settings.encoder.new()
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


def _joint_batch(feeds: Sequence[Contents], first: int, rows: Array) -> Any:
    """Return rows of both datasets, numbered on from the first to the second."""
    sides = [(feeds[0], row) if row < first else (feeds[1], row - first) for row in rows]
    parts = [feed.load(np.array([row])) for feed, row in sides]
    if isinstance(parts[0], list):
        return [text for part in parts for text in part]
    return np.concatenate(parts, dtype=np.float32)
