"""`datakin rank --screen`: fewer fits, everything in the table, and what was left out is marked."""

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin.cli.showing import shown_text

FAST = ("--label", "y", "--models", "logistic,rbf_svm", "--cv", "3")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for k in range(9):
        rng = np.random.default_rng(k)
        X = rng.normal(size=(60, 2))
        value = np.cos(0.4 * k) * X[:, 0] + np.sin(0.4 * k) * X[:, 1]
        label = (value + 0.3 * rng.normal(size=60) > 0).astype(int)
        pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": label}).to_csv(
            folder / f"t{k}.csv", index=False
        )
    return [str(folder / f"t{k}.csv") for k in range(9)]


def test_files_and_text_have_all_sources(call_main, tables, tmp_path):
    places = [tmp_path / name for name in ("r.json", "r.csv", "r.html", "r.png")]
    for option, place in zip(("--out", "--out", "--report", "--plot"), places, strict=True):
        if place.suffix == ".csv":
            continue
        code, out, _ = call_main("rank", *tables, *FAST, "--screen", option, place)
        assert code == 0
    assert "screened out" in out
    assert "sources were screened out by a quick pass" in " ".join(out.split())
    ranking = datakin.Ranking.from_json(places[0].read_text(encoding="utf-8"))
    assert len(ranking) + len(ranking.screened) == 8
    assert ranking.screened
    call_main("rank", *tables, *FAST, "--screen", "--out", places[1])
    frame = pd.read_csv(places[1])
    assert frame["screened"].sum() == len(ranking.screened)
    assert "Screened out" in places[2].read_text(encoding="utf-8")
    assert places[3].stat().st_size > 1000
    for width in (60, 200):
        text = shown_text(ranking, width)
        assert text.count("  screened  ") == len(ranking.screened)
        assert f"{len(ranking.screened)} more screened out" in " ".join(text.split())
        assert "nan" not in text


def test_few_sources_are_told_of(call_main, tables):
    code, out, err = call_main("rank", *tables[:3], *FAST, "--screen")
    assert code == 0
    assert err == ""
    assert out.count("Screening needs at least 4 sources") == 1


def test_other_commands_have_no_such_option(call_main, tables):
    code, _, err = call_main("matrix", *tables, *FAST, "--screen")
    assert code == 1
    assert "--screen" in err
