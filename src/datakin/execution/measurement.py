"""A measurement: pairs agreed on, each dataset fitted once, pairs told of as they are finished."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from datakin.cross_errors.options import Options
from datakin.cross_errors.records import Key, PairFacts, Piece
from datakin.cross_errors.sums import Grams, WaySums
from datakin.cross_errors.table import ErrorTable
from datakin.data import Dataset
from datakin.execution.agreement import Agreement, Names, about_run
from datakin.execution.store import Store
from datakin.execution.threads import run_in_threads
from datakin.execution.trials import Measured, try_sources_of
from datakin.execution.units import Test, Unit, draw_plans
from datakin.learners.models import Model
from datakin.learners.stack.evidence import TargetEvidence
from datakin.learners.stack.records import Trials

GRAMS = 2**27  # bytes of what rows add to sums, kept until the sources' covariances are known


class Looks(NamedTuple):
    """What a measurement must ask of scores, which it knows nothing of."""

    # Whether the samples of a pair are large enough, and what to say if they cannot be.
    growth: Callable[[ErrorTable, str, str], tuple[bool, str | None]]
    # The sums of both directions of a pair, and what each row adds to them, if that is asked for.
    reduce: Callable[[ErrorTable, str, str, bool], tuple[tuple[WaySums, WaySums], Any]]
    # From what rows add: how the sources of each target vary together.
    grams: Callable[[Mapping[Names, Any], Options], dict[str, Grams]]


class Measurement:
    """Pairs to be measured: each dataset is fitted once and tested on its partners.

    Parameters
    ----------
    trials : sequence of str
        Targets whose sources are tried with them.
    with_choices : bool
        Whether the evidence of these targets is kept and is enough for a choice, where predictions are kept.
    with_grams : bool
        With sums: keep what rankings need too.
    outputs : tuple of str
        With sums: the models or aggregates that they need row by row; none for all.
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
        with_choices: bool = False,
        keep: str = "predictions",
        with_grams: bool = True,
        outputs: tuple[str, ...] = (),
    ) -> None:
        self.options, self.models, self.looks, self.keep = options, models, looks, keep
        self.trials = tuple(dict.fromkeys(trials))
        self.with_choices = with_choices and keep == "predictions"
        self.with_grams = with_grams
        self.agreed = Agreement(datasets, pairs, options)
        # What is on disk, and samples that may grow, need all.
        is_slim = keep == "sums" and options.checkpoint is None and not self.agreed.samples
        self.outputs = outputs if is_slim else ()
        self.stages: dict[Names, int] = {}
        self.finished: dict[Names, PairFacts] = {}
        self.sums: dict[Names, WaySums] = {}
        self.for_grams: dict[Names, Any] = {}
        self.fitted: dict[str, Mapping[str, str]] = {}
        self.fits: dict[str, int] = {}
        self.about = about_run(options, must_be_known=options.checkpoint is not None)
        prints = {name: d.fingerprint for name, d in self.agreed.datasets.items()}
        self.store = Store(options.checkpoint, {**self.about, "datasets": prints})

    def run(self) -> Iterator[Names]:
        """Yield each pair when it is finished.

        After Ctrl-C what is finished, if only on smaller samples, is yielded before it is passed on.
        Trials come first: what is told of a pair rests on them.
        """
        self.measured  # noqa: B018
        active = []
        for names, common in self.agreed.pairings.items():
            if common.identical:
                self.finished[names] = self.agreed.facts[names]
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
        self._note_checkpoint(self.finished)

    @cached_property
    def measured(self) -> dict[str, Measured]:
        """The trials of the targets where that was asked for, and their evidence."""
        datasets, found = self.agreed.datasets, {}
        folder = self.store.folder if self.store.is_checkpoint else None
        for target in self.trials:
            pairs = [set(names) for names in self.agreed.pairings if target in names]
            sources = [datasets[name] for names in pairs for name in names - {target}]
            if sources:
                given = datasets[target], sources, self.options, folder
                found[target] = try_sources_of(*given, whole=self.with_choices)
        return found

    @property
    def tried(self) -> dict[str, Trials]:
        """The trials of the targets where that was asked for."""
        return {name: trials for name, (trials, _) in self.measured.items()}

    @property
    def evidence(self) -> dict[str, TargetEvidence]:
        """The evidence that choices are read from."""
        return {name: found for name, (_, found) in self.measured.items() if found is not None}

    def table(self, *, complete: bool = True) -> ErrorTable:
        """Return what is finished."""
        there = {*self.fitted, *(name for names in self.finished for name in names)}
        members = {n: m for n, m in self.agreed.members.items() if complete or n in there}
        used = {key for facts in self.finished.values() for key in facts.keys or ()}
        table = ErrorTable(
            self.options,
            self.about,
            members,
            dict(self.finished),
            {key: piece for key, piece in self.store.pieces.items() if key in used},
            keep=self.keep,
            trials={name: t.only(members) for name, t in self.tried.items() if name in members},
            evidence={
                n: e for n, e in self.evidence.items() if e.fingerprints.keys() <= {*members}
            },
            complete=complete,
            fits=dict(self.fits),
            holder=self.store,
        )
        if self.keep != "sums":
            return table
        return replace(
            table,
            members={name: replace(member, labels=None) for name, member in members.items()},
            pairs={
                names: facts if facts.left_out is None else replace(facts, left_out=None)
                for names, facts in table.pairs.items()
            },
            pieces={},
            sums=self.sums,
            grams=self.looks.grams(self.for_grams, self.options),
            fitters=dict(self.fitted),
        )

    def _note_checkpoint(self, pairs: Mapping[Names, PairFacts]) -> None:
        keep = "losses" if self.keep == "sums" else self.keep
        table = ErrorTable(self.options, self.about, self.agreed.members, dict(pairs), keep=keep)
        self.store.note(
            replace(table, fits=dict(self.fits), trials=self.tried, evidence=self.evidence)
        )

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
        known = [key for key in waiting if key in self.store.pieces]
        told: set[Names] = set()
        for keys in chain([known], self._made(units)):
            for names in (names for key in keys for names in waiting.get(key, ())):
                if names not in told and self._is_measured(names):
                    told.add(names)
                    yield names

    def _made(self, units: Mapping[Key, Unit]) -> Iterator[dict[Key, Piece]]:
        """Run units, or find them in the checkpoint; yield what each brought."""
        self.store.make_room(self._size(units), self.about)
        places = {}
        if self.store.folder is not None:
            places = {key: (key.dataset, self._identity(unit)) for key, unit in units.items()}
        self.store.expect(places.values())
        if self.store.is_checkpoint:
            self._note_checkpoint({**self.agreed.facts, **self.finished})
        for made in self.store.run(units, places, self._runner(self.models)):
            for key, piece in made.items():
                self.fits[json.dumps(key)] = piece.n_fits
                self.fitted[key.dataset] = piece.own[0].backends
            yield made

    # A quick pass before the run

    def run_ahead(self, name: str) -> dict[Key, Unit]:
        """Run the units of one dataset, on its smallest sample; return those of all others."""
        units: dict[Key, Unit] = {}
        for names, common in self.agreed.pairings.items():
            if not common.identical:
                self.stages[names] = 0
                self._plan(units, names)
        list(self._made({key: unit for key, unit in units.items() if key.dataset == name}))
        return {key: unit for key, unit in units.items() if key.dataset != name}

    def try_out(self, units: Sequence[Unit], models: tuple[Model, ...]) -> dict[Key, Piece]:
        """Run units that are not part of the measurement; of what they bring only fits are counted."""
        found: dict[Key, Piece] = {}
        for _, made in self._runner(models)(list(units)):
            found |= made
        for key, piece in found.items():
            name = json.dumps([*key, "tried"])
            self.fits[name] = self.fits.get(name, 0) + piece.n_fits
        return found

    def leave_out(self, pairs: Iterable[Names]) -> None:
        """Leave out pairs that are not to be measured after all."""
        for names in pairs:
            del self.agreed.pairings[names], self.agreed.facts[names]

    def _runner(
        self, models: tuple[Model, ...]
    ) -> Callable[[list[Unit]], Iterator[tuple[int, Any]]]:
        options = self.options.replace(client=None, checkpoint=None)
        client = self.options.client

        def run(units: list[Unit]) -> Iterator[tuple[int, dict[Key, Piece]]]:
            if client is None:
                found = run_in_threads(units, models, options)
            else:
                from datakin.execution.cluster import run_on_cluster

                found = run_on_cluster(units, models, options, client)
            for position, piece in found:
                yield position, {units[position].key: piece}

        return run

    def _plan(self, units: dict[Key, Unit], names: Names) -> None:
        """Plan the units of both sides of a pair, and that each is tested on the other."""
        keys, common = self._keys(names), self.agreed.pairings[names]
        for key, name, left_out in zip(
            keys, names[::-1], self.agreed.shared(names)[::-1], strict=True
        ):
            if self._is_tested(key, name):
                continue
            if key not in units:
                units[key] = self._unit(key)
            other, loss = self.agreed.tested(name), self.agreed.losses[name]
            units[key].tests.append(Test(other, loss, common.classes, left_out))

    def _unit(self, key: Key) -> Unit:
        options, sample = self.options, self.agreed.samples.get(key.dataset)
        dataset = self.agreed.datasets[key.dataset] if sample is None else sample.train(key.stage)
        plans = self.agreed.plans[key.dataset]
        if key.stage > 0:  # a larger sample than the one that was checked
            plans = draw_plans(dataset, options, is_sample=True)
        return Unit(
            key,
            dataset,
            self.agreed.losses[key.dataset],
            plans=plans,
            held_out=None if sample is None else sample.held_out,
            with_inner=options.size == "limit" or (options.size != "paper" and self.keep != "sums"),
            n_rows=self.agreed.datasets[key.dataset].n_rows,
            keeps_predictions=self.keep == "predictions",
            outputs=self.outputs,
        )

    def _identity(self, unit: Unit) -> list[Any]:
        """Return what a unit's numbers depend on besides options and versions."""
        tests = [
            [t.other.name, t.other.fingerprint, *t.classes, int(t.left_out.sum())]
            for t in unit.tests
        ]
        return [
            [unit.dataset.name, unit.dataset.fingerprint, *unit.key.columns],
            None if unit.held_out is None else unit.held_out.fingerprint,
            tests,
            [unit.with_inner, unit.keeps_predictions],
        ]

    def _size(self, units: Mapping[Key, Unit]) -> int:
        """Return how many bytes the losses of units will take at most, at any one time."""
        n_outputs = len(self.outputs) or len(self.models) + 2
        tests = [(unit, t) for unit in units.values() for t in unit.tests]
        size = sum(
            t.other.n_rows * (3 if unit.with_inner else 2) * (8 - 7 * self._are_counts(t))
            for unit, t in tests
        )
        if self.keep == "sums":  # a pair is dropped once both of its sides are there
            size = size * min(len(tests), len(units) ** 2 // 4 + 1) // max(len(tests), 1)
        return size * n_outputs * self.options.repeats

    def _are_counts(self, test: Test) -> bool:
        """Whether losses are kept as whole numbers of one byte."""
        return bool(self.outputs) and test.loss.needs == "label" and not test.loss.by_name

    # What becomes of pairs

    def _keys(self, names: Names) -> tuple[Key, Key]:
        return self.agreed.keys(names, self.stages[names])

    def _is_measured(self, names: Names) -> bool:
        """Whether both sides of a pair are there at its stage."""
        return all(map(self._is_tested, self._keys(names), names[::-1]))

    def _is_tested(self, key: Key, name: str) -> bool:
        pieces = self.store.pieces
        return key in pieces and name in pieces[key].crosses

    def view(self, names: Names) -> ErrorTable:
        """Return a table of one pair, for a look at it in the middle of the run."""
        facts = self.finished.get(names)
        if facts is None:
            facts = replace(self.agreed.facts[names], keys=self._keys(names))
        made = self.agreed.members, {names: facts}, self.store.pieces
        return ErrorTable(self.options, self.about, *made, keep="losses", trials=self.tried)

    def _is_enough(self, names: Names) -> bool:
        """Whether a pair that is measured needs no larger samples."""
        large = [self.agreed.samples[n] for n in names if n in self.agreed.samples]
        stage = self.stages[names]
        if not large or all(stage + 1 >= len(sample.sizes) for sample in large):
            return True
        return self.looks.growth(self.view(names), *names)[0]

    def _finish(self, names: Names) -> None:
        facts = replace(self.agreed.facts[names], keys=self._keys(names), is_final=True)
        large = [n for n in names if n in self.agreed.samples]
        if large:
            note = self.looks.growth(self.view(names), *names)[1]
            said = [self.agreed.samples[n].note(self.stages[names]) for n in large]
            first = [note] if note else []
            forth, back = facts.notes
            notes = (*forth, *first, *said), (*back, *first, *said[::-1])
            facts = replace(facts, notes=notes)
        self.agreed.facts[names] = facts
        if self.keep == "sums":
            ways, added = self.looks.reduce(self.view(names), *names, self._keeps_grams)
            self.sums |= {(way.trained_on, way.tested_on): way for way in ways}
            if self._keeps_grams:
                self.for_grams[names] = added
        # Last, so that Ctrl-C leaves no pair that is called finished and lacks a part.
        self.finished[names] = facts
        if self.keep == "sums":
            self.store.drop(self._keys(names), names)

    @cached_property
    def _keeps_grams(self) -> bool:
        """Whether what rows add fits in memory until all sources of a target are there."""
        rows = sum(self.agreed.tested(n).n_rows for names in self.agreed.pairings for n in names)
        return self.with_grams and rows * 2 * 8 <= GRAMS

    def _on_smaller_samples(self, active: Sequence[Names]) -> Iterator[Names]:
        """Finish pairs at the largest sample that both sides have."""
        for names in active:
            if names in self.finished:
                continue
            self.stages[names] -= not self._is_measured(names)
            if self.stages[names] >= 0 and self._is_measured(names):
                self._finish(names)
                yield names
