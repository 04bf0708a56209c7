"""What a report says, what it holds, and where it can be written."""

import html
import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest

import datakin
from datakin import DatakinError, write_report
from datakin.report import read_report
from datakin.report.page import embedded_json, pack, page, unpack, view_of
from datakin.results import CurvePoint
from datakin.results.words import amount

from .conftest import IMAGE, KINDS, NAMES, renamed


def section(result, key):
    return next(s for s in view_of(result)["sections"] if s["id"] == key)


def test_every_kind_is_here(results):
    assert sorted(results) == sorted(KINDS)
    assert {type(r).__name__ for r in results.values()} == {
        "Choice", "Comparison", "Description", "Distance", "DistanceMatrix", "DistanceRanking", "Explanation",
        "Gain", "Matrix", "Ranking",
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
    for name in ("score", "low", "high", "source_to_target", "p_first"):
        assert [row[name] for row in rows] == list(frame[name])
    effects = section(ranking, "gains")["rows"]
    for name, of in (("gain", "gain"), ("low", "gain_low"), ("high", "gain_high")):
        assert [row[name] for row in effects] == pytest.approx(list(100 * frame[of]))
    for row, c in zip(effects, ranking, strict=True):
        assert row["loss_alone"] == c.loss_alone == ranking.loss_alone
        assert row["loss_with"] == pytest.approx(c.loss_alone * (1 - c.trial.gain))
        # What is drawn is what decided: of a source that hurts, the pool.
        value = c.trial.pooled if c.call == "hurts" else c.trial.gain
        assert row["shown"] == pytest.approx(100 * value)
        assert row.get("mark") == ("*" if c.call == "hurts" else None)


def test_the_card_of_a_choice(results):
    choice = results["choice"]
    found = view_of(choice)
    card = {row["what"]: row["value"] for row in section(choice, "card")["rows"]}
    assert card["Learners"] == "linear"
    assert card["Sources used"] == "near (120 rows)"
    assert card["Seed"] == "0"
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
        100 * error
        for error in (choice.error_alone, choice.error_best, choice.error_all, choice.error)
    ]
    assert ladder[1]["what"] == "Best single source"
    assert (ladder[-1]["low"], ladder[-1]["high"]) == tuple(100 * end for end in choice.interval)
    often = {row["source"]: row["sample"] for row in section(choice, "stability")["rows"]}
    assert often == {n: 100 * share for n, share in choice.stability.used_by_sample.items()}
    for source in choice.choices:
        assert found_in_details(choice, source.source) == source.call


def found_in_details(choice, source):
    return view_of(choice)["details"][source]["zone"]


def ids(result):
    return [part["id"] for part in view_of(result)["sections"]]


def test_order_of_a_choice(results):
    choice = results["choice"]
    first = ["gains", "mix", "errors", "measures", "rows", "stability", "card"]
    assert ids(choice) == [*first, "unusable"]
    assert ids(replace(choice, used=())) == [key for key in [*first, "unusable"] if key != "mix"]
    assert ids(results["choice of nothing"]) == ["errors", "measures", "rows", "card"]
    numbers = section(results["choice of numbers"], "errors")["rows"][-1]
    assert numbers["error_root"] == pytest.approx(numbers["error"] ** 0.5)


def measured(result, key="measures"):
    return {row["measure"].split(" (")[0]: row for row in section(result, key)["rows"]}


def test_other_measures_of_a_choice(results):
    choice = results["choice"]
    rows = measured(choice)
    for who in ("alone", "best_single", "all", "choice"):
        held = choice.metrics[who]
        low, high = held.intervals["auc"]
        assert rows["AUC"][who] == f"{held.get('auc'):.2f} ({low:.2f} to {high:.2f})"
        assert rows["accuracy"][who].startswith(f"{100 * held.get('accuracy'):.1f}% (")
    assert set(measured(results["choice of numbers"])) == {"RMSE", "mean absolute error", "R²"}
    assert "measures" not in ids(replace(choice, metrics={}))
    part = section(choice, "measures")
    assert part["columns"][2]["label"] == "best single source"
    assert "about the class '1'" in part["text"]


def test_other_measures_of_a_pair_both_ways(ranking):
    pair = ranking["kin"]
    both = measured(pair, "measures-both")
    for way in ("target", "source_to_target", "source", "target_to_source"):
        assert both["AUC"][way].startswith(f"{pair.metrics[way].get('auc'):.2f}")
    assert set(measured(pair)["AUC"]) == {"measure", "alone", "with_source"}
    told = dict(view_of(ranking)["details"]["kin"]["facts"])["AUC"]
    found = [f"{pair.metrics[who].get('auc'):.2f}" for who in ("alone", "with_source")]
    assert told == "{} alone, {} with it".format(*found)


def test_rows_of_the_slider_are_the_line_through_the_curve(curved):
    choice = curved["choice of numbers"]
    part = section(choice, "rows")
    steps = {step["n"]: step for step in part["chart"]["steps"]}
    assert (min(steps), max(steps)) == (20, 2 * choice.n_rows)
    assert {20, 30, 54, choice.n_rows} <= set(steps)
    n, error = (np.array([getattr(p, key) for p in choice.curve]) for key in ("n_rows", "error"))
    design = np.column_stack([np.ones(3), 1 / n])
    a, b = np.linalg.lstsq(design, error, rcond=None)[0]
    for rows, step in steps.items():
        assert step["error"] == pytest.approx((a + b / rows) ** 0.5)  # drawn as its root
        assert step["text"] == (
            f"With {rows:,} rows, the root mean squared error of line 1 alone should be "
            f"{amount('squared', a + b / rows)}."
        )
    start = part["chart"]["steps"][part["chart"]["start"]]
    assert start["n"] == choice.curve[-1].n_rows  # where the error alone was measured
    measured = {row["n_rows"]: row["error"] for row in part["rows"] if row["kind"] == "measured"}
    assert measured == {20: 4.0, 30: 3.1, 54: 2.5}
    assert "not extrapolated" in part["text"]


def test_no_slider_where_the_curve_does_not_fall(curved):
    choice = curved["choice"]
    rising = replace(choice, curve=(CurvePoint(30, 0.2, 0.2), CurvePoint(54, 0.21, 0.2)))
    assert section(rising, "rows")["chart"] is None
    assert "does not fall with more rows" in section(rising, "rows")["text"]
    for few in ((), choice.curve[:1]):
        part = section(replace(choice, curve=few), "rows")
        assert part["chart"] is None
        assert "was not measured with different numbers of rows" in part["text"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_what_the_terminal_says(results, kind):
    answer, found = results[kind].answer, view_of(results[kind])
    assert found["verdict"] == {
        "tone": answer.tone,
        "head": answer.headline,
        "lines": list(answer.evidence),
    }
    told = [*answer.caveats, *answer.notes]
    if kind == "description":  # has tables of them, and says nothing twice
        parts = [part for part in found["sections"] if part["id"] in ("things", "reading")]
        rows = [row for part in parts for row in part["rows"]]
        assert [row.get("text") or row["note"] for row in rows] == told != []
        told = []
    assert found["notes"] == list(dict.fromkeys(told))
    assert html.escape(answer.headline) in page(results[kind])


def test_bands_only_where_the_paper_decided(results):
    by_paper = section(results["by paper"], "scores")
    assert by_paper["chart"]["bands"] == ["zone_low", "zone_high"]
    for row, c in zip(by_paper["rows"], results["by paper"], strict=True):
        assert (row["zone_low"], row["zone_high"]) == (c.by_paper.low, c.by_paper.high)
    # The paper's zones are not about gains, nor is what was not tried.
    for kind in ("by paper", "untried"):
        assert ids(results[kind])[:2] == ["scores", "facts"]
    for kind in ("ranking", "by gain"):
        assert "bands" not in section(results[kind], "scores")["chart"]
        assert ids(results[kind])[:2] == ["gains", "scores"]
    assert "bands" not in section(results["comparison"], "score")["chart"]


def test_a_pool_that_harms_does_not_make_dots_of_the_others(ranking):
    harmful = replace(ranking["stranger"].trial, pooled=-9, pooled_low=-12, pooled_high=-6)
    made = [replace(c, trial=harmful) if c.source == "stranger" else c for c in ranking]
    low, high = section(replace(ranking, comparisons=tuple(made)), "gains")["chart"]["reach"]
    ends = [100 * abs(end) for c in ranking for end in (c.trial.low, c.trial.high)
            if c.call != "hurts"]  # fmt: skip
    assert -1.1 * max(ends) < low < 0 < high


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


def test_groups_are_named_by_their_members(vast, results):
    matrix = results["matrix"]
    found, clusters = view_of(matrix), matrix.clusters()
    assert found["clusters"] == list(clusters.values())
    for name, cluster in clusters.items():
        group = found["groups"][cluster - 1]
        members = [other for other in clusters if clusters[other] == cluster]
        assert all(member in group for member in members[:3])
        assert ("more" in group) == (len(members) > 3)
        assert name in members
    assert all(len(group) < 80 for group in view_of(vast)["groups"])


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
    assert view["notes"][-1] == "read as text"
    assert view["provenance"]["Command"] == "datakin rank a b"
    assert f"datakin {datakin.__version__}" in view["provenance"]["Versions"]
    for name, fingerprint in ranking["kin"].provenance.fingerprints.items():
        assert f"{name}: {fingerprint}" in view["provenance"]["Fingerprints"]
    assert view["provenance"]["Seed"] == "0"


def test_an_interrupted_result_says_so(results):
    for kind in ("ranking", "matrix"):
        notes = view_of(replace(results[kind], complete=False))["notes"]
        assert any("interrupted" in note for note in notes)


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
