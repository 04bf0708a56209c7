"""What a report says, what it holds, and where it can be written."""

import html
import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin import DatakinError, forecast_gain, write_report
from datakin.report import read_report
from datakin.report.page import embedded_json, pack, page, unpack, view_of
from datakin.results import ExpectedGain
from datakin.results.zones import ZONE_OF

from .conftest import IMAGE, NAMES, renamed

KINDS = ["ranking", "comparison", "regression", "by gain", "matrix", "forecast", "joint forecast",
         "gain", "distance", "distances", "distance matrix", "itself", "copies",
         "choice", "choice of numbers", "choice of nothing"]  # fmt: skip


def section(result, key):
    return next(s for s in view_of(result)["sections"] if s["id"] == key)


def test_every_kind_is_here(results):
    assert sorted(results) == sorted(KINDS)
    assert {type(r).__name__ for r in results.values()} == {
        "Choice", "Comparison", "Distance", "DistanceMatrix", "DistanceRanking", "Forecast", "Gain", "Matrix",
        "Ranking",
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_result_inside_is_the_result(results, kind, tmp_path):
    path = write_report(results[kind], tmp_path / "r.html")
    assert read_report(path).to_json() == results[kind].to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_one_file_without_addresses(results, kind):
    text = page(results[kind])
    assert text.count("<script") == 3
    # The name space of SVG is a name, not an address that is loaded.
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|<link[^>]+stylesheet|<script[^>]+src", text)


def test_large_squares_are_packed_to_the_last_digit(vast, tmp_path):
    path, text = write_report(vast, tmp_path / "r.html"), vast.to_json()
    assert len(text) > 15e6
    assert path.stat().st_size < 5.5e6
    assert embedded_json(path) == text


def test_packing_keeps_what_is_no_number_and_the_sign_of_zero(results):
    n = 25
    square = np.linspace(-1, 1, n * n).reshape(n, n)
    square[3, 4], square[4, 3], square[5, 6] = np.nan, -0.0, np.inf
    twice = square + square.T
    names = tuple(map(str, range(n)))
    small = replace(results["matrix"], names=names, errors=square, scores=twice)
    tree = pack(small)
    assert (tree["errors"]["symmetric"], tree["scores"]["symmetric"]) == (False, True)
    assert len(tree["scores"]["data"]) < 0.6 * len(tree["errors"]["data"])
    assert unpack(json.loads(json.dumps(tree))) == small.to_json()


def test_ranking_numbers_are_those_of_the_frame(ranking):
    rows = section(ranking, "scores")["rows"]
    frame = ranking.frame
    assert [row["source"] for row in rows] == list(frame["source"])
    for name in ("score", "low", "high", "gain", "weight", "p_first"):
        assert [row[name] for row in rows] == list(frame[name])
    for row, comparison in zip(rows, ranking, strict=True):
        assert row["zone_high"] == comparison.by_paper.high
        assert row["zone_score"] == comparison.by_paper.score
    gains = section(ranking, "gain")["rows"]
    assert [g["gain"] for g in gains[-2:]] == [
        ranking.forecast.pooled.value,
        ranking.forecast.best.value,
    ]
    weights = section(ranking, "weights")["rows"]
    assert {w["source"]: w["weight"] for w in weights} == ranking.forecast.weights


def test_a_choice_says_what_the_terminal_says(results):
    choice = results["choice"]
    found = view_of(choice)
    assert found["verdict"]["head"] == choice.headline
    assert found["verdict"]["lines"] == list(choice.evidence)
    assert html.escape(choice.headline) in page(choice)
    assert found["notes"] == list(choice.notes)
    assert found["provenance"]["Learners"] == "linear"
    assert f"near: {choice.provenance.fingerprints['near']}" in found["provenance"]["Fingerprints"]
    assert choice.used == ("near",)
    assert section(choice, "unusable")["rows"] == [
        {"source": "numbers", "why": choice.unusable["numbers"]}
    ]


def test_numbers_of_a_choice_are_its_own(results):
    choice = results["choice"]
    *rows, whole = section(choice, "gains")["rows"]
    assert [row["source"] for row in rows] == list(choice.frame["source"])
    assert [row["call"] for row in rows] == list(choice.frame["call"])
    for name in ("gain", "low", "high", "pooled", "share"):
        assert [row[name] for row in rows] == pytest.approx(100 * choice.frame[name])
    assert whole["gain"] == 100 * choice.gain
    mix = section(choice, "mix")["rows"]
    assert mix[0]["source"] == choice.target
    assert sum(row["share"] for row in mix) == pytest.approx(100)
    ladder = section(choice, "errors")["rows"]
    assert [row["error"] for row in ladder] == [
        100 * error for error in (choice.error_alone, choice.error_all, choice.error)
    ]
    assert (ladder[-1]["low"], ladder[-1]["high"]) == tuple(100 * end for end in choice.interval)
    often = {row["source"]: row["sample"] for row in section(choice, "stability")["rows"]}
    assert often == {n: 100 * share for n, share in choice.stability.used_by_sample.items()}
    for source in choice.choices:
        assert found_in_details(choice, source.source) == source.call


def found_in_details(choice, source):
    return view_of(choice)["details"][source]["zone"]


def test_tones_of_a_choice(results):
    choice = results["choice"]
    sure, unsure = (replace(choice, gain_interval=ends) for ends in ((0.1, 0.3), (-0.1, 0.3)))
    assert [view_of(c)["verdict"]["tone"] for c in (sure, unsure)] == ["good", "open"]
    none = replace(choice, used=())
    assert view_of(none)["verdict"]["tone"] == "bad"
    assert "mix" not in [s["id"] for s in view_of(none)["sections"]]
    assert [s["id"] for s in view_of(results["choice of nothing"])["sections"]] == ["errors"]
    numbers = section(results["choice of numbers"], "errors")["rows"][-1]
    assert numbers["root"] == pytest.approx(numbers["error"] ** 0.5)


def test_hostile_names_in_a_choice(results, tmp_path):
    made = results["choice"]
    for old, new in (("near", NAMES["script"]), ("far", IMAGE), ("numbers", NAMES["entity"])):
        made = renamed(made, old, new)
    text = page(made)
    assert text.count("<script") == 3
    assert not re.search(r"<img|alert\(1\)</|onerror=alert\(2\)>", text)
    assert read_report(write_report(made, tmp_path / "r.html")) == made


def test_facts_of_the_data(make_mixed, tmp_path):
    frames = [make_mixed(80, 1), make_mixed(60, 2, angle=0.3).assign(only_here=np.sin(range(60)))]
    ours, theirs = (
        datakin.read_table(f, label="y", name=n) for f, n in zip(frames, "ab", strict=True)
    )
    with pytest.warns(datakin.DatakinWarning, match="only_here"):
        result = datakin.score(ours, theirs, models=["logistic"], cv=3)
    facts = result.facts["b"]
    assert (facts.n_rows, facts.n_columns, facts.left_out) == (60, 4, ("only_here",))
    assert facts.classes == {"0": 0.5, "1": 0.5}
    assert facts.missing == frames[1].drop(columns="y").isna().to_numpy().mean()
    assert datakin.from_json(result.to_json()).facts == result.facts
    row = section(result, "facts")["rows"][1]
    assert (row["rows"], row["columns"], row["left_out"]) == (60, 4, "only_here")
    assert row["classes"] == "0: 50%, 1: 50%"


def test_a_result_without_facts_is_read_and_shown(ranking):
    old = json.loads(ranking.to_json())
    for comparison in old["comparisons"]:
        del comparison["facts"]
    found = datakin.from_json(json.dumps(old))
    assert found["kin"].facts == {}
    assert section(found, "facts")["rows"][1]["rows"] == 300
    page(found)


def expected(value, low90, high90):
    return ExpectedGain(value, 0.01, low90 - 0.01, high90 + 0.01, low90, high90, 0.8)


def untried(ranking):
    """The same ranking as if no source had been tried."""
    made = [
        replace(c, trial=None, loss_alone=None, decision=forecast_gain(c).decision) for c in ranking
    ]
    return replace(ranking, comparisons=tuple(made))


def called(ranking, **calls):
    """The same ranking with other calls."""
    made = [replace(c, zone=ZONE_OF[calls.get(c.source, c.call)]) for c in ranking]
    return replace(ranking, comparisons=tuple(made))


def test_verdict_when_a_source_helps(ranking):
    verdict = view_of(ranking)["verdict"]
    assert (verdict["tone"], verdict["head"]) == ("good", "1 of 3 sources helps: kin")
    assert verdict["lines"][0] == (
        "With kin the loss of home should fall by 8.0% of its own (90% interval +1.0% to +15.0%)."
    )
    assert verdict["lines"][1:3] == [
        "Unclear from these data: cousin.",
        "Hurts when pooled: stranger.",
    ]
    both = view_of(called(ranking, cousin="helps"))["verdict"]
    assert both["head"] == "2 of 3 sources help: kin and cousin"
    assert "looks better than it is" in both["lines"][0]


def test_verdict_when_no_source_is_sure_to_help(ranking):
    verdict = view_of(called(ranking, kin="harmless"))["verdict"]
    assert (verdict["tone"], verdict["head"]) == ("open", "No source is sure to help home")
    assert "Harmless, with next to no cost: kin." in verdict["lines"]
    verdict = view_of(called(ranking, kin="hurts", cousin="hurts"))["verdict"]
    assert (verdict["tone"], verdict["head"]) == ("bad", "Every source hurts")


def test_verdict_by_the_formula(ranking):
    ranking = untried(ranking)
    best = expected(0.013, 0.004, 0.022)
    weights = {"kin": 0.62, "cousin": 0.3, "stranger": 0.01}
    made = replace(ranking.forecast, error=0.182, best=best, weights=weights)
    verdict = view_of(replace(ranking, forecast=made))["verdict"]
    assert verdict["tone"] == "good"
    assert verdict["head"] == "Use 2 of 3 sources: kin and cousin"
    assert verdict["lines"][0] == (
        "By the gain formula, with row weights kin 0.62 and cousin 0.30 this should cut the error of home "
        "from 18.2% to 16.9%."
    )
    assert verdict["lines"][1] == (
        "95% interval of that gain: \N{MINUS SIGN}0.6 to +3.2 points; probability of a gain 80%."
    )


def test_verdict_by_the_formula_when_it_is_open_and_when_nothing_helps(ranking):
    ranking = untried(ranking)
    unsure = replace(
        ranking.forecast, best=expected(0.01, -0.005, 0.025), weights={"kin": 0.5, "cousin": 0, "stranger": 0}
    )  # fmt: skip
    verdict = view_of(replace(ranking, forecast=unsure))["verdict"]
    assert (verdict["tone"], verdict["head"]) == ("open", "1 of 3 sources may help: kin")
    assert any("do not settle" in line for line in verdict["lines"])
    for none in (
        replace(unsure, best=expected(-0.001, -0.02, 0.01)),
        replace(unsure, weights=dict.fromkeys(unsure.weights, 0.01)),
    ):
        verdict = view_of(replace(ranking, forecast=none))["verdict"]
        assert (verdict["tone"], verdict["head"]) == ("bad", "Use none of the sources")
        # "Not even with weights" and "pooling all cuts it" would not go together.
        gains = replace(none, pooled=expected(0.01, -0.005, 0.025))
        said = " ".join(view_of(replace(ranking, forecast=gains))["verdict"]["lines"])
        assert "should cut" not in said


def test_verdict_of_a_matrix_counts_families(vast, results):
    assert re.match(r"300 datasets, \d+ famil(y|ies)", view_of(vast)["verdict"]["head"])
    clusters = results["matrix"].clusters()
    assert sorted(view_of(results["matrix"])["clusters"]) == sorted(clusters.values())


def test_tree_and_map_are_the_matrix_own(results):
    matrix = results["matrix"]
    tree = section(matrix, "tree")
    assert [row["height"] for row in tree["rows"]] == matrix.tree[:, 2].tolist()
    assert sorted(tree["chart"]["order"]) == list(range(len(matrix)))
    rows = section(matrix, "map")["rows"]
    assert [row["x"] for row in rows] == matrix.map["x"].tolist()


def test_nothing_hostile_reaches_the_markup(hostile, tmp_path):
    for result in hostile.values():
        text = page(result, command="datakin '<b>' & more", notes=["<i>note</i> </script>"])
        assert text.count("<script") == 3
        assert text.count("</script>") == 3
        assert not re.search(r"<img|<i>|<b>|alert\(1\)</|onerror=alert\(2\)>", text)
        path = write_report(result, tmp_path / "r.html", overwrite=True)
        assert read_report(path) == result


def test_command_notes_versions_and_fingerprints_are_shown(ranking):
    text = page(ranking, command="datakin rank a b", notes=["read as text"])
    view = json.loads(re.search(r'id="datakin-view">(.*?)</script>', text).group(1))
    assert view["notes"][0] == "read as text"
    assert view["provenance"]["Command"] == "datakin rank a b"
    assert f"datakin {datakin.__version__}" in view["provenance"]["Versions"]
    for name, fingerprint in ranking["kin"].provenance.fingerprints.items():
        assert f"{name}: {fingerprint}" in view["provenance"]["Fingerprints"]
    assert view["provenance"]["Seed"] == "0"


def test_an_interrupted_result_says_so(results):
    for kind in ("ranking", "matrix"):
        assert "interrupted" in view_of(replace(results[kind], complete=False))["notes"][0]


def test_existing_file_only_with_overwrite(ranking, tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    with pytest.raises(DatakinError, match=r"already there.*--force.*overwrite=True"):
        write_report(ranking, path)
    assert path.read_text() == "mine"
    write_report(ranking, str(path), overwrite=True)
    assert path.read_text().startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_places_that_cannot_be_written(ranking, tmp_path):
    with pytest.raises(DatakinError, match=r"folder of the report must exist. Got '.*missing'"):
        write_report(ranking, tmp_path / "missing" / "r.html")
    with pytest.raises(DatakinError, match="must be a file"):
        write_report(ranking, tmp_path)
    with pytest.raises(DatakinError, match=r"must end in \.html\. Got 'r\.pdf'"):
        write_report(ranking, tmp_path / "r.pdf")
    with pytest.raises(DatakinError, match="could not be written"):
        write_report(ranking, tmp_path / f"{'n' * 300}.html")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission(ranking, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DatakinError, match="must be writable"):
        write_report(ranking, tmp_path / "r.html")


def test_folder_without_permission_whoever_asks(ranking, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(DatakinError, match="must be writable"):
        write_report(ranking, tmp_path / "r.html")


def test_only_results_have_reports(tmp_path):
    with pytest.raises(DatakinError, match=r"needs a result of datakin: Comparison.*Got dict"):
        write_report({}, tmp_path / "r.html")
    assert not list(tmp_path.iterdir())
    (tmp_path / "other.html").write_text("<p>hello</p>")
    with pytest.raises(DatakinError, match="must be a report of datakin"):
        read_report(tmp_path / "other.html")


def test_a_result_of_another_format_is_refused_with_a_reason(ranking):
    other = json.dumps({**json.loads(ranking.to_json()), "format": 0})
    with pytest.raises(
        DatakinError, match=r"has format 0; this version reads format 1. Compute it again"
    ):
        datakin.from_json(other)


def test_deep_results_have_reports(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from datakin.deep import EncoderHeadScore, as_items

    rng = np.random.default_rng(0)
    tables = [rng.standard_normal((60, 3)) for _ in range(3)]
    sets = [as_items(X, (X[:, 0] > 0).astype(int), name=f"d{k}") for k, X in enumerate(tables)]
    method = EncoderHeadScore("identity", repeats=2)
    for result in (method.rank(sets[0], sets[1:]), method.compare(*sets[:2]), method.matrix(sets)):
        path = write_report(result, tmp_path / "deep.html", overwrite=True)
        assert read_report(path) == result
