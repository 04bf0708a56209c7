"""The options that commands share: how tables are read, how scores are computed."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

import datakin
from datakin._core.exceptions import DatakinError, listed
from datakin.cli.grouped import Given, choice
from datakin.cross_errors.options import Options

__all__ = ["Domain", "Reading", "Running", "Scoring", "Seed", "Target"]

TASKS = ("auto", "binary", "multiclass", "regression")
Domain = Annotated[str | None, typer.Option(help="Column that splits one table into datasets.")]
Target = Annotated[str | None, typer.Option(help="With --domain: the value that names the target.")]


@dataclass(frozen=True)
class Reading:
    """Options on how tables are read."""

    panel: ClassVar[str] = "How tables are read"

    label: Annotated[str, typer.Option(help="The column to predict.")]
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column(s) to leave out; repeat or separate by commas.")
    ] = None
    group: Annotated[
        str | None,
        typer.Option(help="Column whose equal values stay in one fold, such as a patient id."),
    ] = None
    positive: Annotated[
        list[str] | None,
        typer.Option(help="The positive class; every other becomes 0. Repeat if tables differ."),
    ] = None
    label_map: Annotated[
        list[str] | None, typer.Option(help="Recode labels: old=new; repeat or separate by commas.")
    ] = None
    delimiter: Annotated[str, typer.Option(help="Separator of csv files.")] = ","
    task: Annotated[
        str,
        choice("auto, binary, multiclass or regression.", TASKS),
    ] = "auto"
    read_rows: Annotated[
        int, typer.Option(min=0, help="Rows to draw from a file that has more; 0 for all.")
    ] = 200_000

    def read(self, tables: list[Any], domain: str | None = None) -> dict[str, datakin.Dataset]:
        """Read all tables together."""
        ignore = [name for entry in self.ignore or () for name in entry.split(",") if name]
        return datakin.read_tables(
            list(tables),
            label=self.label,
            domain=domain,
            ignore=ignore,
            group=self.group,
            positive=self.positive or None,
            label_map=self._mapping(),
            delimiter="\t" if self.delimiter == "\\t" else self.delimiter,
            task=self.task,
            read_rows=self.read_rows or None,
        )

    def _mapping(self) -> dict[str, str] | None:
        if not self.label_map:
            return None
        entries = [entry for text in self.label_map for entry in text.split(",")]
        bad = [entry for entry in entries if "=" not in entry]
        if bad:
            raise DatakinError(f"--label-map must look like old=new. Got {listed(bad)}.")
        return {old: new for old, _, new in (entry.partition("=") for entry in entries)}


class Scoring(Given):
    """Options on how scores are computed: those of the Cross-Learning Score."""

    fields_of = Options
    panel = "How scores are computed"

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options, and the one that is gone."""
        gone = inspect.Parameter(
            "method",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[str | None, typer.Option(hidden=True)],
        )
        return [*super().parameters(), gone]

    def options(self) -> dict[str, Any]:
        """Return the options as Python functions take them."""
        method = self.values["method"]
        if method is not None:
            name = "NAME" if method == "cls" else method
            raise DatakinError(
                f"The --method option is gone: 'datakin distance {name} TABLES... --label COLUMN' "
                f"measures a distance; score, rank and matrix compute the Cross-Learning Score."
            )
        return super().options()


class Running(Given):
    """The seed, and how many threads."""

    fields_of = Options
    only = ("random_state", "n_jobs")


class Seed(Given):
    """The seed alone."""

    fields_of = Options
    only = ("random_state",)
