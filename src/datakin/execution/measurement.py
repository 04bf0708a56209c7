"""A measurement: pairs agreed on, each dataset fitted once, pairs told of as they are finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from datakin._core.exceptions import DatakinError, Interrupted, listed, warn
from datakin._core.repeatability import versions
from datakin.cross_errors.files import Folder
from datakin.cross_errors.options import Options
from datakin.cross_errors.records import Grams, Key, Labels, Member, PairFacts, Piece, WaySums
from datakin.cross_errors.table import ErrorTable, write_table
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.execution.identity import Unknown, identity_of
from datakin.execution.sampling import Sample
from datakin.execution.store import Store
from datakin.execution.threads import run_in_threads
from datakin.execution.units import Test, Unit, draw_plans, labels_of
from datakin.learning.folds import Plan
from datakin.learning.losses import Loss, choose_loss
from datakin.learning.models import Model

__all__ = ["Looks", "Measurement", "about_run", "choose_keep", "measured", "member_of"]

MIN_TEST_ROWS = 10
WHOLE = -1  # the stage of a dataset that is used whole
PREDICTIONS = 2**29  # bytes of predictions that are kept unless more are asked for

GRAMS = 2**27  # bytes of what rows add to sums, kept until the sources' covariances are known

Names = tuple[str, str]


class Runs(Protocol):
    """A measurement, of tables or with encoders, that is ready to run."""

    finished: dict[Names, PairFacts]

    def run(self) -> Iterator[Names]:
        """Yield each pair when it is finished."""

    def table(self, *, complete: bool = True) -> ErrorTable:
        """Return what is finished."""


def measured(
    measurement: Runs,
    said: Callable[[int], str],
    look: Callable[[ErrorTable], Any] | None = None,
    on_pair: Callable[[ErrorTable, str, str], None] | None = None,
) -> ErrorTable:
    """Run a measurement to its end and return the table.

    Ctrl-C becomes `Interrupted` here and nowhere else.

    Parameters
    ----------
    measurement : Measurement or DeepMeasurement
    said : callable
        ``said(n)``: what to say of a measurement that was interrupted with n pairs finished.
    look : callable, optional
        Makes the partial result of a table with at least one pair.
    on_pair : callable, optional
        Called with the table so far and a pair as soon as it is finished.
    """
    try:
        for names in measurement.run():
            if on_pair is not None:
                on_pair(measurement.table(complete=False), *names)
    except KeyboardInterrupt:
        n_finished, partial = len(measurement.finished), None
        if n_finished and look is not None:
            partial = look(measurement.table(complete=False))
        raise Interrupted(said(n_finished), partial) from None
    return measurement.table()


class Looks(NamedTuple):
    """What a measurement must ask of scores, which it knows nothing of.

    Attributes
    ----------
    growth : callable
        ``growth(table, target, source)``: whether the samples of a pair are large enough, and what to
        say if they cannot be.
    reduce : callable
        ``reduce(table, target, source)``: the sums of both directions of a pair, and what each row
        adds to them.
    grams : callable
        ``grams(added)``: from what rows add, how the sources of each target vary together.
    """

    growth: Callable[[ErrorTable, str, str], tuple[bool, str | None]]
    reduce: Callable[[ErrorTable, str, str], tuple[tuple[WaySums, WaySums], Any]]
    grams: Callable[[Mapping[Names, Any], Options], dict[str, Grams]]


def about_run(options: Options, *, must_be_known: bool) -> dict[str, Any]:
    """Return what numbers depend on besides the data, as plain values."""
    try:
        identity: dict[str, str] = identity_of(options)
    except Unknown as error:
        if must_be_known:
            raise
        identity = {"unknown": str(error)}
    return {
        "options": options.summary(),
        "versions": versions(),
        "identity": identity,
        "seed": options.random_state,
    }


def member_of(dataset: Dataset, loss: Loss, labels: Labels, *, is_sampled: bool = False) -> Member:
    """Return a dataset as the table knows it."""
    is_class = bool(dataset.classes)
    return Member(
        dataset.name,
        dataset.fingerprint,
        dataset.n_rows,
        dataset.classes,
        tuple(dataset.class_shares.tolist()) if is_class else (),
        dataset.missing_share,
        dataset.columns,
        loss.name,
        loss.balanced,
        None if is_class else loss.of_best_constant(dataset.y),
        labels,
        is_sampled,
    )


def choose_keep(
    datasets: Sequence[Dataset], pairs: Sequence[Names], options: Options, n_models: int, keep: str
) -> str:
    """Return what to keep: what was asked for, or, for "auto", as much as memory should hold."""
    if keep != "auto":
        return keep
    rows = {d.name: min(d.n_rows, options.max_rows or d.n_rows) for d in datasets}
    n_fits = 1 + options.cv + options.cv * (options.cv - 1) // 2
    n_outputs = max(len(datasets[0].classes), 1)
    n_rows = sum(rows.values()) + sum(rows[a] + rows[b] for a, b in pairs)
    if n_rows * n_fits * n_models * n_outputs * options.repeats * 8 <= PREDICTIONS:
        return "predictions"
    return "losses" if len({target for target, _ in pairs}) == 1 else "sums"


class Measurement:
    """Pairs to be measured: each dataset is fitted once and tested on its partners.

    Parameters
    ----------
    datasets : sequence of Dataset
    pairs : sequence of (target, source)
        Names.
    options : Options
    models : tuple of Model
    looks : Looks
    trials : sequence of str
        Targets for which pools with each source are tried.
    pool_model : str or None
        The model that pools are tried with.
    keep : {"predictions", "losses", "sums"}
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        pairs: Sequence[Names],
        options: Options,
        models: tuple[Model, ...],
        looks: Looks,
        *,
        trials: Sequence[str] = (),
        pool_model: str | None = None,
        keep: str = "predictions",
    ) -> None:
        self.options, self.models, self.looks, self.keep = options, models, looks, keep
        self.trials, self.pool_model = frozenset(trials), pool_model
        self.datasets = {d.name: d for d in datasets}
        self.losses = {d.name: choose_loss(options.resolved_loss, d) for d in datasets}
        limit = options.max_rows
        self.samples = {
            d.name: Sample(d, options) for d in datasets if limit is not None and d.n_rows > limit
        }
        self.plans: dict[Key | str, tuple[Plan, ...]] = {}
        wanted = self._usable(pairs)
        self.pairings = {(t, s): pair(self.datasets[t], self.datasets[s]) for t, s in wanted}
        self.about = about_run(options, must_be_known=options.checkpoint is not None)
        used = dict.fromkeys(name for names in wanted for name in names)
        self.members = {name: self._member(name) for name in self.datasets if name in used}
        self.stages: dict[Names, int] = {}
        self.facts = {names: self._facts(names) for names in self.pairings}
        self.finished: dict[Names, PairFacts] = {}
        self.sums: dict[Names, WaySums] = {}
        self.for_grams: dict[Names, Any] = {}
        self.fitted: dict[str, Mapping[str, str]] = {}
        self.n_fits = 0
        for names, common in self.pairings.items():
            if not common.identical:
                self._check_rows(names)
        self.store = Store(self._open(options.checkpoint))

    def _open(self, checkpoint: Any) -> Folder | None:
        if checkpoint is None:
            return None
        prints = {name: d.fingerprint for name, d in self.datasets.items()}
        return Folder(checkpoint, {**self.about, "datasets": prints})

    def run(self) -> Iterator[Names]:
        """Yield each pair when it is finished.

        After Ctrl-C what is finished, if only on smaller samples, is yielded before it is passed on.
        """
        self._note_checkpoint(self.facts.values())
        active = []
        for names, common in self.pairings.items():
            if common.identical:
                self.finished[names] = self.facts[names]
                yield names
            else:
                active.append(names)
        stage = 0
        while active:
            more: list[Names] = []
            try:
                for names in self._run_stage(active, stage):
                    if self._is_enough(names):
                        self._finish(names)
                        yield names
                    else:
                        more.append(names)
            except KeyboardInterrupt:
                yield from self._on_smaller_samples(active)
                raise
            active, stage = more, stage + 1
        self._note_checkpoint(self.finished.values())

    def table(self, *, complete: bool = True) -> ErrorTable:
        """Return what is finished."""
        members = {n: m for n, m in self.members.items() if complete or n in self.fitted}
        used = {key for facts in self.finished.values() for key in facts.keys or ()}
        table = ErrorTable(
            self.options,
            self.about,
            members,
            dict(self.finished),
            {key: piece for key, piece in self.store.pieces.items() if key in used},
            keep=self.keep,
            complete=complete,
            sums_fits=self._other_fits(used),
        )
        if self.keep != "sums":
            return table
        return replace(
            table,
            members={name: replace(member, labels=None) for name, member in members.items()},
            pieces={},
            sums=dict(self.sums),
            grams=self.looks.grams(self.for_grams, self.options),
            sums_fits=self.n_fits,
            sums_backends=dict(self.fitted),
        )

    def _other_fits(self, used: set[Key]) -> int:
        """Return the fits of smaller samples, which cost time but are not kept."""
        pieces = self.store.pieces
        return sum(own.n_fits for key in pieces if key not in used for own in pieces[key].own)

    def _note_checkpoint(self, pairs: Any) -> None:
        """Tell the checkpoint what its units belong to, so that it can be loaded as a table."""
        if not self.store.is_checkpoint or self.store.folder is None:
            return
        keep = "losses" if self.keep == "sums" else self.keep
        known = {(facts.target, facts.source): facts for facts in pairs}
        table = ErrorTable(self.options, self.about, self.members, known, keep=keep)
        try:
            write_table(self.store.folder, table)
        except OSError as error:
            warn(f"The checkpoint could not be written to ({error.strerror or error}).")

    # What is asked of units

    def _run_stage(self, active: Sequence[Names], stage: int) -> Iterator[Names]:
        """Run what pairs need at a stage; yield each pair when both of its sides are there."""
        units: dict[Key, Unit] = {}
        waiting: dict[Key, list[Names]] = {}
        for names in active:
            self.stages[names] = stage
            for key in self._keys(names):
                waiting.setdefault(key, []).append(names)
            self._plan(units, names)
        self.store.make_room(self._size(units), self.about)
        places = {key: (key.dataset, self._identity(unit)) for key, unit in units.items()}
        known = {key for key in waiting if key in self.store.pieces}
        told: set[Names] = set()

        def arrived(keys: Sequence[Key]) -> Iterator[Names]:
            for names in (names for key in keys for names in waiting.get(key, ())):
                if names not in told and self._is_measured(names):
                    told.add(names)
                    yield names

        yield from arrived(list(known))
        for made in self.store.run(units, places, self._runner()):
            for key, piece in made.items():
                self.n_fits += sum(own.n_fits for own in piece.own)
                self.fitted[key.dataset] = piece.own[0].backends
            yield from arrived(list(made))

    def _runner(self) -> Callable[[list[Unit]], Iterator[tuple[int, Any]]]:
        options = self.options.replace(client=None, checkpoint=None)
        client = self.options.client

        def run(units: list[Unit]) -> Iterator[tuple[int, dict[Key, Piece]]]:
            if client is None:
                found = run_in_threads(units, self.models, options)
            else:
                from datakin.execution.cluster import run_on_cluster

                found = run_on_cluster(units, self.models, options, client)
            for position, piece in found:
                yield position, {units[position].key: piece}

        return run

    def _plan(self, units: dict[Key, Unit], names: Names) -> None:
        """Plan the units of both sides of a pair, and that each is tested on the other."""
        keys, common = self._keys(names), self.pairings[names]
        for key, tested, left_out in zip(keys, names[::-1], self._shared(names)[::-1], strict=True):
            if key in self.store.pieces and tested in self.store.pieces[key].crosses:
                continue
            if key not in units:
                units[key] = self._unit(key)
            tries = (
                tested in self.trials and tested not in self.samples and self.pool_model is not None
            )
            units[key].tests.append(
                Test(
                    self._tested(tested),
                    self.losses[tested],
                    common.classes,
                    left_out,
                    self.pool_model if tries else None,
                    self.plans[tested] if tries else (),
                )
            )

    def _unit(self, key: Key) -> Unit:
        options, sample = self.options, self.samples.get(key.dataset)
        dataset = self.datasets[key.dataset] if sample is None else sample.train(key.stage)
        plan_key: Key | str = key.dataset if key.stage in (WHOLE, 0) else key
        if plan_key not in self.plans:
            self.plans[plan_key] = draw_plans(dataset, options, is_sample=sample is not None)
        return Unit(
            key,
            dataset,
            self.losses[key.dataset],
            plans=self.plans[plan_key],
            held_out=None if sample is None else sample.held_out,
            with_inner=options.size == "limit" or (options.size != "paper" and self.keep != "sums"),
            n_rows=self.datasets[key.dataset].n_rows,
            keeps_predictions=self.keep == "predictions",
        )

    def _identity(self, unit: Unit) -> list[Any]:
        """Return what a unit's numbers depend on besides options and versions."""
        return [
            [unit.dataset.name, unit.dataset.fingerprint, *unit.key.columns],
            unit.held_out.fingerprint if unit.held_out is not None else None,
            [
                [t.other.name, t.other.fingerprint, *t.classes, int(t.left_out.sum()), t.pool_model]
                for t in unit.tests
            ],
            [unit.with_inner, unit.keeps_predictions],
        ]

    def _size(self, units: Mapping[Key, Unit]) -> int:
        """Return how many bytes the losses of units will take."""
        rows = sum(
            t.other.n_rows * (3 if unit.with_inner else 2)
            for unit in units.values()
            for t in unit.tests
        )
        return rows * (len(self.models) + 2) * 8 * self.options.repeats

    # What becomes of pairs

    def _keys(self, names: Names) -> tuple[Key, Key]:
        stage, columns = self.stages.get(names, 0), self.pairings[names].columns
        target, source = (
            Key(n, columns, self.samples[n].clamp(stage) if n in self.samples else WHOLE)
            for n in names
        )
        return target, source

    def _is_measured(self, names: Names) -> bool:
        """Whether both sides of a pair are there at its stage."""
        pieces = self.store.pieces
        return all(
            key in pieces and other in pieces[key].crosses
            for key, other in zip(self._keys(names), names[::-1], strict=True)
        )

    def _view(self, names: Names) -> ErrorTable:
        """Return a table of one pair, for a look at it in the middle of the run."""
        facts = replace(self.facts[names], keys=self._keys(names))
        pieces = self.store.pieces
        return ErrorTable(
            self.options, self.about, self.members, {names: facts}, pieces, keep="losses"
        )

    def _is_enough(self, names: Names) -> bool:
        """Whether a pair that is measured needs no larger samples."""
        large = [self.samples[n] for n in names if n in self.samples]
        stage = self.stages[names]
        if not large or all(stage + 1 >= len(sample.sizes) for sample in large):
            return True
        return self.looks.growth(self._view(names), *names)[0]

    def _finish(self, names: Names) -> None:
        facts = replace(self.facts[names], keys=self._keys(names))
        large = [n for n in names if n in self.samples]
        if large:
            note = self.looks.growth(self._view(names), *names)[1]
            said = [self.samples[n].note(self.stages[names]) for n in large]
            notes = [*([note] if note else ()), *said]
            facts = replace(facts, notes=((*facts.notes[0], *notes), (*facts.notes[1], *notes)))
        self.finished[names] = facts
        if self.keep == "sums":
            ways, added = self.looks.reduce(self._view(names), *names)
            self.sums[names[::-1]], self.sums[names] = ways
            if self._keeps_grams:
                self.for_grams[names] = added

    @cached_property
    def _keeps_grams(self) -> bool:
        """Whether what rows add fits in memory until all sources of a target are there."""
        rows = sum(self._tested(n).n_rows for names in self.pairings for n in names)
        return rows * 2 * 8 <= GRAMS

    def _on_smaller_samples(self, active: Sequence[Names]) -> Iterator[Names]:
        """Finish pairs at the largest sample that both sides have."""
        for names in active:
            if names in self.finished:
                continue
            self.stages[names] -= not self._is_measured(names)
            if self.stages[names] >= 0 and self._is_measured(names):
                self._finish(names)
                yield names

    # What is known before anything is fitted

    def _usable(self, pairs: Sequence[Names]) -> list[Names]:
        """Return the pairs whose folds can be drawn; name all datasets at fault at once."""
        faults: dict[str, str] = {}
        for name in dict.fromkeys(name for names in pairs for name in names):
            sample = self.samples.get(name)
            dataset = self.datasets[name] if sample is None else sample.train(0)
            try:
                is_sample = sample is not None
                self.plans[name] = draw_plans(dataset, self.options, is_sample=is_sample)
            except DatakinError as error:
                faults[name] = str(error)
        if not faults:
            return list(pairs)
        left = [names for names in pairs if not faults.keys() & set(names)]
        first = next(iter(faults.values()))
        if not self.options.skip_unusable or not left:
            others = ""
            if len(faults) > 1:
                others = f" The same holds of {len(faults)} datasets: {listed(faults)}."
            raise DatakinError(f"{first}{others}")
        warn(f"{len(faults)} dataset(s) left out: {listed(faults)}. {first}")
        return left

    def _member(self, name: str) -> Member:
        labels = labels_of(self._tested(name))
        is_sampled = name in self.samples
        return member_of(self.datasets[name], self.losses[name], labels, is_sampled=is_sampled)

    def _facts(self, names: Names) -> PairFacts:
        common = self.pairings[names]
        left_out = self._shared(names)
        return PairFacts(
            *names,
            common.columns,
            common.classes,
            (int(common.shared_target.sum()), int(common.shared_source.sum())),
            left_out if any(rows.any() for rows in left_out) else None,
            common.identical,
            (common.notes, self._back_notes(names, common)),
            None if common.identical else self._keys(names),
        )

    def _back_notes(self, names: Names, common: Pairing) -> tuple[str, ...]:
        return common.notes

    def _tested(self, name: str) -> Dataset:
        """Return the rows of a dataset that others are tested on."""
        return self.samples[name].held_out if name in self.samples else self.datasets[name]

    def _shared(self, names: Names) -> tuple[Array, Array]:
        """Return which of the rows that are tested on stand in the other dataset too."""
        common = self.pairings[names]
        target, source = (
            shared[self.samples[name].tested] if name in self.samples else shared
            for name, shared in zip(
                names, (common.shared_target, common.shared_source), strict=True
            )
        )
        return target, source

    def _check_rows(self, names: Names) -> None:
        for name, other, shared in zip(names, names[::-1], self._shared(names), strict=True):
            n_rows, left = len(shared), int((~shared).sum())
            if left < MIN_TEST_ROWS:
                raise DatakinError(
                    f"Two datasets must differ in at least {MIN_TEST_ROWS} rows each. "
                    f"Of {n_rows} rows of {name!r}, {n_rows - left} also stand in {other!r}: remove "
                    f"them there."
                )
