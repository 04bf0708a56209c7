"""The options that commands share: how tables are read, how scores are computed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import datakin
from datakin._core.exceptions import DatakinError, listed

__all__ = ["Domain", "Jobs", "Reading", "Scoring", "Seed", "separated"]


def _choice(help: str, words: str) -> Any:
    """Return an option with words that the shell completes its value with."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words.split() if word.startswith(incomplete)]

    return typer.Option(help=help, autocompletion=complete)


Domain = Annotated[str | None, typer.Option(help="Column that splits one table into datasets.")]
Jobs = Annotated[int | None, typer.Option("--n-jobs", help="Threads; -1 for all cores.")]
Seed = Annotated[int, typer.Option(help="Root of all randomness.")]


@dataclass(frozen=True)
class Reading:
    """Options on how tables are read."""

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
        _choice("auto, binary, multiclass or regression.", "auto binary multiclass regression"),
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


@dataclass(frozen=True)
class Scoring:
    """Options on how scores are computed."""

    method: Annotated[
        str,
        _choice(
            "cls, or a rival: kl, js, wasserstein, mmd, energy, otdd, proxy_a.",
            "cls kl js wasserstein mmd energy otdd proxy_a",
        ),
    ] = "cls"
    models: Annotated[
        str | None, typer.Option(help="'extended', or model names separated by commas.")
    ] = None
    estimate: Annotated[
        str,
        _choice(
            "ensemble, weighted, unweighted, or one model's name.",
            "ensemble weighted unweighted logistic linear_svm rbf_svm xgboost",
        ),
    ] = "ensemble"
    loss: Annotated[
        str,
        _choice(
            "auto, zero_one, balanced, brier, log, squared or absolute.",
            "auto zero_one balanced brier log squared absolute",
        ),
    ] = "auto"
    size: Annotated[
        str,
        _choice("matched, paper or limit.", "matched paper limit"),
    ] = "matched"
    cv: Annotated[int, typer.Option(help="Number of folds.")] = 5
    stratify: Annotated[
        bool,
        typer.Option("--stratify/--no-stratify", help="Whether folds keep the class shares."),
    ] = True
    repeats: Annotated[int, typer.Option(help="Fold seeds to average over.")] = 1
    zones: Annotated[
        str,
        _choice("Rule for zones: gain (what pooling should bring), or paper.", "gain paper"),
    ] = "gain"
    max_rows: Annotated[
        int,
        typer.Option(min=0, help="Larger datasets are scored from samples; 0 to use all rows."),
    ] = 10_000
    precision: Annotated[float, typer.Option(help="Standard error for which samples grow.")] = 0.005
    seed: Seed = 0
    n_jobs: Jobs = None
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786."),
    ] = None
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Folder for finished datasets, to go on after a run was killed."),
    ] = None
    skip_unusable: Annotated[
        bool,
        typer.Option("--skip-unusable", help="Leave out datasets with too few rows of a class."),
    ] = False

    def options(self) -> dict[str, Any]:
        """Return the options as the Python functions take them."""
        if self.method != "cls":
            return {"method": self.method}
        models: Any = self.models
        if models is not None and models != "extended":
            models = separated(models)
        return {
            "models": models,
            "estimate": self.estimate,
            "loss": self.loss,
            "size": self.size,
            "cv": self.cv,
            "stratify": self.stratify,
            "repeats": self.repeats,
            "zones": self.zones,
            "max_rows": self.max_rows or None,
            "precision": self.precision,
            "random_state": self.seed,
            "n_jobs": self.n_jobs,
            "client": self.cluster,
            "checkpoint": self.checkpoint,
            "skip_unusable": self.skip_unusable,
        }


def separated(text: str) -> list[str]:
    """Return names that were separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
