"""The cross-error table: who was trained on what, tested on what, and erred how much."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import pandas as pd

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.json_text import parse_json
from datakin.cross_errors.files import FORMAT, Folder, open_file, read_parts, write_parts
from datakin.cross_errors.frame import error_records, sum_records
from datakin.cross_errors.options import Options
from datakin.cross_errors.pieces import join_pieces, parts_of, pieces_from, reread_pieces
from datakin.cross_errors.records import Key, Member, PairFacts, Piece
from datakin.cross_errors.sums import Grams, WaySums
from datakin.learners.stack.evidence import TargetEvidence
from datakin.learners.stack.records import Trial, Trials

COMBINING = ("sharpness", "voting", "weighting")  # decide how predictions become an ensemble's
# Fields that a file holds as they are.
PLAIN = (
    *("about", "keep", "grams", "trials", "evidence", "complete", "test_size", "fits", "fitters"),
    "files",
)


@dataclass(frozen=True, eq=False, repr=False)
class ErrorTable:
    """Everything that was measured, and nothing that follows from it.

    Attributes
    ----------
    options : Options
        How it was measured.
    about : mapping
        Plain values for the record: "options", "versions", "seed", "identity".
    members : mapping of name to Member
    pairs : mapping of (target, source) to PairFacts
        Those that are finished.
    pieces : mapping of Key to Piece
    keep : {"predictions", "losses", "sums"}
    sums : mapping of (trained_on, tested_on) to WaySums
    grams : mapping of target to Grams
    trials : mapping of target to Trials
        What its sources brought when they were tried, for targets where that was asked for.
    evidence : mapping of target to TargetEvidence
        What these trials, and choices, are read from, where predictions are kept.
    complete : bool
        False when the measurement was interrupted.
    test_size : float or None
        Share of rows that test, where every repeat splits the datasets anew.
    fits : mapping of str to int
        How many fits each plan took, those of smaller samples too.
    fitters : mapping of dataset to what fitted each model
        Where only sums are kept.
    files : tuple of str
        Names of the files that hold the pieces, in a checkpoint.
    holder : object
        What keeps the files alive that pieces are read from.
    """

    options: Options
    about: Mapping[str, Any]
    members: Mapping[str, Member]
    pairs: Mapping[tuple[str, str], PairFacts]
    pieces: Mapping[Key, Piece] = field(default_factory=dict)
    keep: str = "predictions"
    sums: Mapping[tuple[str, str], WaySums] = field(default_factory=dict)
    grams: Mapping[str, Grams] = field(default_factory=dict)
    trials: Mapping[str, Trials] = field(default_factory=dict)
    evidence: Mapping[str, TargetEvidence] = field(default_factory=dict)
    complete: bool = True
    test_size: float | None = None
    fits: Mapping[str, int] = field(default_factory=dict)
    fitters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    holder: Any = None

    def __repr__(self) -> str:
        part = "" if self.complete else ", interrupted"
        return (
            f"{type(self).__name__}({len(self.names)} datasets, {len(self.pairs)} pair(s), "
            f"{self.n_fits} fits, keeps {self.keep}{part})"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the datasets."""
        return tuple(self.members)

    @property
    def n_fits(self) -> int:
        """Number of fits that the measurement took."""
        return sum(self.fits.values() or (piece.n_fits for piece in self.pieces.values()))

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each predictor and tested dataset.

        trained_on, tested_on, model, held_out ("none", "k": each fold in turn, "jk": each two
        folds), weights_from (the rows that an ensemble's weights come from), n_train, rows, error,
        spread (standard deviation of the row losses), columns (how many were learned on: pairs may
        share different ones). Where only sums are kept: the errors of the measured estimate.
        """
        found: list[Mapping[str, Any]] = list(sum_records(self.sums.values()))
        for key, piece in self.pieces.items():
            errors = [own.own for own in piece.own]
            errors += [error for crosses in piece.crosses.values() for error in crosses]
            width = {"columns": len(key.columns)}
            found += [{**record, **width} for record in error_records(errors)]
        return pd.DataFrame(found)

    def backends(self, names: Iterable[str], columns: Any = None) -> dict[str, str]:
        """Return what fitted each model on some datasets (with some columns)."""
        wanted, found = set(names), dict[str, set[str]]()
        fitted = [
            self.pieces[key].own[0].backends
            for key in self.pieces
            if key.dataset in wanted and columns in (None, key.columns)
        ]
        fitted += [made for name, made in self.fitters.items() if name in wanted]
        for made in fitted:
            for model, name in made.items():
                found.setdefault(model, set()).add(name)
        return {model: ", ".join(sorted(which)) for model, which in found.items()}

    def has_pair(self, target: str, source: str) -> bool:
        """Whether a pair was measured, whichever of the two is the target."""
        return (target, source) in self.pairs or (source, target) in self.pairs

    def trial(self, target: str, source: str) -> Trial | None:
        """Return the trial of a source; None if there was none, or it could not be made."""
        found = self.trials.get(target)
        return None if found is None else found.trials.get(source)

    def check_name(self, name: Any) -> None:
        """Refuse what is not the name of one of the datasets."""
        if not isinstance(name, str) or name not in self.members:
            raise DatakinError(
                f"There is no dataset {name!r} in these cross errors. They hold "
                f"{listed(self.names, limit=12)}.{suggest(name, self.names)}"
            )

    def pair(self, target: str, source: str) -> PairFacts:
        """Return what a pair agreed on; refuse one that was not measured."""
        for name in (target, source):
            self.check_name(name)
        found = self.pairs.get((target, source)) or self.pairs.get((source, target))
        if found is None:
            raise DatakinError(
                f"The pair {target!r}, {source!r} was not measured. Measure it (pairs=), and join the "
                f"two tables."
            )
        return found if found.target == target else found.swapped()

    def read_with(self, options: Options, models: str | Sequence[str] | None = None) -> Self:
        """Return the table with its predictions combined as other options say; nothing is fitted.

        `models`: names of the models to combine; all by default.
        """
        is_same = all(getattr(options, name) == getattr(self.options, name) for name in COMBINING)
        if is_same and models is None:
            return replace(self, options=options)
        if self.keep != "predictions":
            changed = COMBINING if models is None else ("set of models",)
            raise self.refusal(f"Another {' or '.join(changed)}")
        about = self.about
        if models is not None:
            models = [models] if isinstance(models, str) else models
            self._check_models(models)
            options = options.replace(models=list(models))
            about = {**about, "options": {**about["options"], "models": list(models)}}
        pieces = reread_pieces(self.pieces, self, options, models)
        return replace(self, options=options, about=about, pieces=pieces)

    def _check_models(self, models: Any) -> None:
        """Refuse what is not a list of different models that were measured."""
        made = next((p.predictions for p in self.pieces.values() if p.predictions), None)
        known = made[0].models if made else ()
        given = list(models) if isinstance(models, (list, tuple)) else []
        is_known = all(isinstance(name, str) and name in known for name in given)
        if not given or not is_known or len(set(given)) < len(given):
            odd = next((name for name in given if name not in known), models)
            near = suggest(odd, known) if isinstance(odd, str) else ""
            raise DatakinError(
                f"A look at some models names them in a list, each once. These were measured: "
                f"{listed(known, limit=12)}. Got {odd!r}.{near}"
            )

    def refusal(self, what: str) -> DatakinError:
        """Return the error for a look that what is kept cannot answer."""
        return DatakinError(
            f"{what} needs more than these cross errors keep ({self.keep}). Measure with "
            f"keep='predictions'."
        )

    def subset(self, names: Sequence[str]) -> Self:
        """Return the table of some of the datasets, by their names."""
        given: Any = names
        for name in given if isinstance(given, (list, tuple, set, dict)) else [given]:
            self.check_name(name)
        wanted = {given} if isinstance(given, str) else set(given)
        pairs = {key: facts for key, facts in self.pairs.items() if wanted.issuperset(key)}
        used = {key for facts in pairs.values() for key in facts.keys or ()}
        pieces = {key: piece.only(wanted) for key, piece in self.pieces.items() if key in used}
        return replace(
            self,
            members={name: m for name, m in self.members.items() if name in wanted},
            pairs=pairs,
            pieces=pieces,
            fits={k: n for k, n in self.fits.items() if json.loads(k)[0] in wanted},
            fitters={name: made for name, made in self.fitters.items() if name in wanted},
            sums={key: way for key, way in self.sums.items() if wanted.issuperset(key)},
            grams={name: g.only(wanted) for name, g in self.grams.items() if name in wanted},
            trials={name: t.only(wanted) for name, t in self.trials.items() if name in wanted},
            evidence={
                name: e for name, e in self.evidence.items() if e.fingerprints.keys() <= wanted
            },
        )

    def join(self, other: ErrorTable) -> Self:
        """Return one table of two that were measured with the same options.

        Datasets may stand in both, with the same rows; pairs may not.
        """
        if not isinstance(other, ErrorTable):
            raise DatakinError(f"CrossErrors join with CrossErrors. Got {type(other).__name__}.")
        self._must_fit(other)
        return replace(
            self,
            members={**self.members, **other.members},
            pairs={**self.pairs, **other.pairs},
            pieces=join_pieces(self.pieces, other.pieces),
            sums={**self.sums, **other.sums},
            grams={},
            trials=_joined_trials(self.trials, other.trials),
            evidence=_of_one(self.evidence, other.evidence),
            complete=self.complete and other.complete,
            fits={**self.fits, **other.fits},
            fitters={**self.fitters, **other.fitters},
            files=(),
            holder=(self.holder, other.holder),
        )

    def _must_fit(self, other: ErrorTable) -> None:
        if self.keep != other.keep:
            raise DatakinError(
                f"Cross errors that are joined must keep the same. Got {self.keep!r} and {other.keep!r}."
            )
        unknown = self.about["identity"].get("unknown")
        if unknown and not (
            self.options.loss is other.options.loss and self.options.models is other.options.models
        ):
            raise DatakinError(
                f"These cross errors cannot be joined, because a loss or estimator of your own may differ. "
                f"{unknown.partition('. ')[0]}."
            )
        for what in ("options", "identity", "versions"):
            ours, theirs = self.about[what], other.about[what]
            if ours != theirs:
                names = [n for n in {**ours, **theirs} if ours.get(n) != theirs.get(n)]
                raise DatakinError(
                    f"Cross errors that are joined must be measured alike. Their {what} differ in "
                    f"{listed(names)}: {ours.get(names[0])!r} and {theirs.get(names[0])!r}."
                )
        for name in self.members:
            if name in other.members and (
                self.members[name].fingerprint != other.members[name].fingerprint
            ):
                raise DatakinError(
                    f"Both tables hold a dataset named {name!r}, with other rows in each. Give one of "
                    f"them another name and measure it again."
                )
        both = {frozenset(key) for key in self.pairs} & {frozenset(key) for key in other.pairs}
        if both:
            first = min(sorted(names) for names in both)
            raise DatakinError(
                f"{len(both)} pair(s) stand in both tables, such as {listed(first)}. Join tables that "
                f"hold different pairs; .subset(names) leaves datasets out."
            )

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the table to a new or empty folder, for `load` and `join`."""
        path = _path(folder)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise DatakinError(
                f"Cross errors are saved to a new or empty folder. {str(path)!r} is not; name another."
            )
        prints = {name: member.fingerprint for name, member in self.members.items()}
        place = Folder(path, {**self.about, "datasets": prints})
        try:
            files = [f"{number:05d}.parquet" for number in range(len(self.pieces))]
            for file, (key, piece) in zip(files, self.pieces.items(), strict=True):
                write_parts(place.units / file, parts_of(key, piece))
            write_table(place, replace(self, files=tuple(files)), is_saved=True)
        except OSError as error:
            raise DatakinError(
                f"The cross errors could not be written to {str(path)!r} ({error.strerror or error})."
            ) from None

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a table from its folder: one that was saved, or what a checkpoint holds so far."""
        path = _path(folder)
        open_file.cache_clear()
        _check_about(path)
        found = {"evidence": {}, **read_parts(path / "table.parquet").part(0)}
        places = [path / "units" / name for name in found["files"]]
        there = places if found["is_saved"] else [place for place in places if place.exists()]
        pieces = pieces_from([read_parts(place) for place in there])
        options = Options(**found["options"])
        pairs = _finished(found["pairs"], pieces, found["sums"], options.repeats)
        used = {key for facts in pairs.values() for key in facts.keys or ()}
        complete = found["complete"] and len(pairs) == len(found["pairs"])
        return cls(
            options=options,
            members={member.name: member for member in found["members"]},
            pairs=pairs,
            pieces={key: piece for key, piece in pieces.items() if key in used},
            sums={(way.trained_on, way.tested_on): way for way in found["sums"]},
            **{name: found[name] for name in PLAIN}
            | {"complete": complete, "fits": found["fits"] if complete else {}, "files": ()},
        )


def _joined_trials(ours: Mapping[str, Trials], theirs: Mapping[str, Trials]) -> dict[str, Trials]:
    """Return the trials of two tables; none of a target that came out differently in them."""
    both = {name: ours[name].joined(theirs[name]) for name in ours.keys() & theirs.keys()}
    return {name: t for name, t in {**ours, **theirs, **both}.items() if t is not None}


def _of_one(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what only one of two tables has: pools of sources that were measured apart are in neither."""
    return {name: {**ours, **theirs}[name] for name in ours.keys() ^ theirs.keys()}


def _path(folder: Any) -> Path:
    if not isinstance(folder, (str, os.PathLike)):
        raise DatakinError(f"Cross errors are kept in a folder; give its path. Got {folder!r}.")
    return Path(folder)


def write_table(folder: Folder, table: ErrorTable, *, is_saved: bool = False) -> None:
    """Write datasets, pairs and sums to a folder; a saved one has all its files."""
    content = {name: getattr(table, name) for name in PLAIN} | {
        "options": _plain_options(table.options),
        "members": list(table.members.values()),
        "pairs": list(table.pairs.values()),
        "sums": list(table.sums.values()),
        "is_saved": is_saved,
    }
    write_parts(folder.path / "table.parquet", [("table", content)])


def _check_about(path: Path) -> None:
    """Refuse a folder without cross errors, or with some of another version."""
    note = path / "about.json"
    if not note.exists():
        reason = "is of an earlier version" if (path / "run.json").exists() else "has no about.json"
        raise DatakinError(f"{str(path)!r} holds no cross errors that can be read: it {reason}.")
    try:
        found = parse_json(note.read_bytes())["format"]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DatakinError(
            f"The file 'about.json' of {str(path)!r} is damaged ({str(error)[:120]})."
        ) from None
    if found != FORMAT:
        raise DatakinError(
            f"The cross errors in {str(path)!r} have format {repr(found)[:40]}; this version reads format "
            f"{FORMAT}. Measure them again, or read them with the version that wrote them."
        )


def _plain_options(options: Options) -> dict[str, Any]:
    """Return the options that a saved table is read with; models and losses of one's own are left out."""
    kept = {
        name: value
        for name, value in options.get_params().items()
        if name not in ("models", *Options.names("where"))
    }
    return kept if isinstance(options.loss, str) else {**kept, "loss": "auto"}


def _finished(
    pairs: Sequence[PairFacts],
    pieces: Mapping[Key, Piece],
    sums: Sequence[WaySums],
    repeats: int,
) -> dict[tuple[str, str], PairFacts]:
    """Return the pairs both of whose sides are there, at the largest sample that was finished."""
    summed = {(way.trained_on, way.tested_on) for way in sums}

    def side(facts: PairFacts, wanted: Key, other: str) -> Key | None:
        """Return the plan that a side was finished with, or the largest that was finished."""
        whole = [
            key
            for key, piece in pieces.items()
            if key._replace(stage=0) == wanted._replace(stage=0)
            and len(piece.crosses.get(other, ())) == repeats
        ]
        return wanted if facts.is_final and wanted in whole else max(whole, default=None)

    found = {}
    for facts in pairs:
        names = (facts.target, facts.source)
        if facts.is_identical or names in summed:
            found[names] = facts
            continue
        assert facts.keys is not None
        tested = side(facts, facts.keys[0], facts.source)
        trained = side(facts, facts.keys[1], facts.target)
        if tested is not None and trained is not None:
            found[names] = replace(facts, keys=(tested, trained))
    return found
