"""Real, mixed, dirty tables: a ranking comes out, and the way in does not matter."""

import json
import warnings

import pandas as pd
import polars as pl
import pytest

import datakin
from benchmarks.decisions.collections.uci_heart import COLUMNS
from datakin.cli import main

pytestmark = pytest.mark.data

HOSPITALS = ("cleveland", "hungarian", "switzerland", "va")
EICU_IGNORED = (
    "patientunitstayid,hospitalid,icu_expired,predictedhospitalmortality,apachescore,"
    "acutephysiologyscore,unitvisitnumber"
)


@pytest.fixture
def heart(data_folder):
    frames = {}
    for name in HOSPITALS:
        path = data_folder / "uci_heart" / f"processed.{name}.data"
        frame = pd.read_csv(path, header=None, names=COLUMNS)
        frames[name] = frame.assign(num=(frame["num"] > 0).astype(int))
    return frames


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        return function(*arguments, **options)


def test_heart_hospitals(heart):
    datasets = quietly(datakin.read_tables, heart, label="num")
    target = datasets.pop("cleveland")
    with pytest.warns(datakin.DatakinWarning) as caught:
        ranking = datakin.rank(target, datasets)
    assert len(caught) == 1, "one warning, not a flood"
    assert ranking.frame["gain"].is_monotonic_decreasing
    assert set(ranking.frame["source"]) == set(HOSPITALS) - {"cleveland"}
    # Known of these data: Switzerland's predictors fail in Cleveland (AUC .36).
    assert ranking["switzerland"].source_to_target > 0.2
    assert ranking.best.source == "hungarian"


def test_every_way_in_gives_the_same_numbers(heart, tmp_path):
    results = []
    for kind in ("csv", "parquet", "pandas", "polars"):
        sources = {}
        for name in ("cleveland", "hungarian"):
            path = tmp_path / f"{name}.{kind}"
            if kind == "csv":
                heart[name].to_csv(path, index=False)
            elif kind == "parquet":
                heart[name].to_parquet(path)
            sources[name] = {
                "csv": path,
                "parquet": path,
                "pandas": heart[name],
                "polars": pl.from_pandas(heart[name]),
            }[kind]
        tables = quietly(datakin.read_tables, sources, label="num")
        comparison = quietly(datakin.score, tables["cleveland"], tables["hungarian"])
        results.append(comparison.to_json())
    assert len(set(results)) == 1


def run_cli(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    printed = capsys.readouterr()
    assert stop.value.code == 0, printed.err
    return printed


@pytest.mark.long
def test_eicu_regions(data_folder, capsys):
    table = data_folder / "eicu_demo" / "eicu_demo_merged.csv"
    printed = run_cli(
        capsys, "rank", table, "--domain", "region", "--target", "Northeast", "--label", "hosp_expired",
        "--group", "uniquepid", "--ignore", EICU_IGNORED, "--json",
    )  # fmt: skip
    ranking = json.loads(printed.out)
    assert len(ranking["comparisons"]) == 3
    assert "200 of 2205 rows have no 'region'" in printed.err
    assert len(printed.err.splitlines()) <= 12, printed.err


@pytest.mark.long
def test_gusto_regions(data_folder, capsys):
    table = data_folder / "gusto" / "gusto.csv.gz"
    printed = run_cli(
        capsys, "rank", table, "--domain", "regl", "--target", "1", "--label", "day30",
        "--ignore", "grpl,grps,tpa", "--models", "logistic",
    )  # fmt: skip
    (table,) = [part for part in printed.out.split("\n\n") if part.startswith("source ")]
    assert len(table.splitlines()) == 1 + 15, "header, sources"
    said = " ".join(printed.out.split())
    assert "Gains are in percent of the Brier loss of 1 alone" in said
    assert "balanced" in said
    assert "balanced" not in printed.err
