"""Every claim has a committed result, prints it rightly and is judged rightly; the slips are slips."""

import ast
import math
import tomllib
from functools import cache
from operator import itemgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from datakin.synthetic import settings
from reproduction.claims import refresh_claims, write_claims
from reproduction.scores import ESTIMATES, FIXED, LEVELLED, paper_values

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "reproduction" / "claims.toml").read_text(encoding="utf-8")
GROUPS = {group["id"]: group for group in tomllib.loads(TEXT)["group"]}
CLAIMS = [(group, claim) for group in GROUPS.values() for claim in group["claims"]]
CHECKED = [(group, claim) for group, claim in CLAIMS if "file" in group]


def name_of(claim):
    return "-".join(str(claim[key]) for key in ("id", "setting", "column", "level") if key in claim)


NAMES = [f"{group['id']}/{name_of(claim)}" for group, claim in CHECKED]
by_group = pytest.mark.parametrize(
    "group", [g for g in GROUPS.values() if "file" in g], ids=itemgetter("id")
)


read = cache(pd.read_csv)
printed_by_the_paper = cache(paper_values)


def wrong(group, check):
    """Return the claims of a group that a check refuses, each with the reason."""
    found = []
    for claim in group["claims"]:
        try:
            check(group, claim)
        except Exception as reason:
            found.append(f"{name_of(claim)}: {reason!r}")
    return found


def rows_of(group, claim):
    rows = read(ROOT / "reproduction" / "results" / group["file"].format_map(claim))
    for key in ("setting", "column", "level"):
        if key in claim:
            rows = rows[rows[key] == claim[key]]
    return rows


def prints_the_committed_result(group, claim):
    rows = rows_of(group, claim)
    measure = group.get("measure", "value")
    if measure == "value":
        assert len(rows) == 1
        found = rows[group.get("field", "ours")].item()
        error = math.nan if "field" in group else rows["se"].item()
        assert format(claim.get("se", math.nan), ".4g") == format(error, ".4g")
    else:
        assert len(rows) in (11, 21), "every level of the setting"
        gap = np.abs(rows["ours"] - rows["paper"])
        scale = {"largest relative difference": rows["paper"].abs()}
        scale["largest difference in standard errors"] = rows["se"]
        found = (gap / scale.get(measure, 1.0)).max()
    assert format(claim["ours"], ".4g") == format(found, ".4g")


@by_group
def test_claims_print_the_committed_results(group):
    assert wrong(group, prints_the_committed_result) == []


def verdict_follows_from_the_numbers(group, claim):
    ours, paper = claim["ours"], claim.get("paper", 0.0)
    if math.isnan(ours):
        ours = group["undefined"]
    allowed = claim.get("tolerance", group["tolerance"])
    if group["unit"] == "relative":
        allowed *= paper
    elif group["unit"] == "standard errors of the difference":
        allowed *= math.sqrt(claim["se"] ** 2 + claim["se"] ** 2)
    else:
        assert group["unit"] == "absolute"
    if abs(ours - paper) <= allowed:
        expected = "reproduced"
    else:
        expected = "better" if "better" in group and ours < paper else "differs"
    assert claim["verdict"] == expected


@by_group
def test_verdicts_follow_from_the_numbers(group):
    assert wrong(group, verdict_follows_from_the_numbers) == []


def test_every_group_says_where_and_why():
    for group in GROUPS.values():
        assert group["statement"]
        assert group["where"]
        assert group["claims"]
        assert ("file" not in group) or group["reason"]
    assert len(set(NAMES)) == len(NAMES)
    assert {claim["verdict"] for _, claim in CLAIMS} <= {"reproduced", "differs", "better", "slip"}


def test_what_differs_is_explained():
    silent = [name_of(c) for _, c in CLAIMS if c["verdict"] == "differs" and not c.get("note")]
    assert silent == []


def test_no_number_is_left_out():
    named = {(g["id"], c.get("setting"), c.get("column")) for g, c in CLAIMS}
    assert {("diff", s, c) for s in (*LEVELLED, *FIXED) for c in ESTIMATES} <= named
    assert {("estimates", s, c) for s in LEVELLED for c in ESTIMATES} <= named
    assert {("estimates-fixed", s, c) for s in FIXED for c in ESTIMATES} <= named
    rank = {(s, c) for g, s, c in named if g.startswith("spearman")}
    assert rank == {(s, c) for s in LEVELLED for c in paper_values("spearman", s)["column"]}


def figure_is_the_table_s(group, claim):
    table = {"spearman": "spearman", "diff": "diff", "limit": "diff", "transport": "metrics"}
    table |= {"oracle": "estimates", "estimates": "estimates"}
    kind = group["id"].partition("-")[0]
    # Words of the paper rather than figures of a table: inversions, gain, zones.
    if "paper" not in claim or kind in ("inversions", "gain", "zones"):
        return
    values = printed_by_the_paper(table[kind], claim["setting"])
    column = "ensemble" if kind == "limit" else claim["column"]
    values = values[values["column"] == column]
    if "level" in claim:
        values = values[values["level"] == claim["level"]]
    assert values["value"].item() == claim["paper"]


@by_group
def test_the_paper_s_figures_are_the_table_s(group):
    assert wrong(group, figure_is_the_table_s) == []


@pytest.mark.parametrize("key", ["ours", "paper", "verdict"])
def test_a_wrong_claim_is_found(key):
    group = GROUPS["diff"]
    changed = {**group["claims"][0], key: "differs" if key == "verdict" else 9.0}
    checks = (prints_the_committed_result, figure_is_the_table_s, verdict_follows_from_the_numbers)
    found = [wrong({**group, "claims": [changed]}, check) for check in checks]
    assert [*map(len, found)][("ours", "paper", "verdict").index(key)] == 1


def test_tests_that_are_named_exist():
    for _, claim in CLAIMS:
        if "test" in claim:
            file, name = claim["test"].split("::")
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_filling_in_again_changes_nothing(tmp_path):
    (tmp_path / "claims.toml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "results").mkdir()
    for path in (ROOT / "reproduction" / "results").glob("table-*.csv"):
        (tmp_path / "results" / path.name).write_bytes(path.read_bytes())
    summary = refresh_claims(tmp_path / "results")
    assert (tmp_path / "claims.toml").read_text(encoding="utf-8") == TEXT
    assert len(summary.frame) == len(CLAIMS)
    pages = (ROOT / "reproduction" / "results", tmp_path / "results")
    one, two = (
        [
            line
            for line in (folder / "claims.md").read_text("utf-8").splitlines()
            if is_lasting(line)
        ]
        for folder in pages
    )
    assert one == two


def is_lasting(line):
    """Not the date of a page, nor a mark."""
    return not line.startswith(("Made on ", "Rows last changed ", "**Stale:**"))


def test_writing_keeps_everything():
    head = TEXT[: TEXT.index("[[group]]")]
    assert write_claims(head, list(GROUPS.values())) == TEXT


def slip(name):
    (found,) = [claim for claim in GROUPS["slips"]["claims"] if claim["id"] == name]
    assert found["verdict"] == "slip"
    return found


def test_slip_radial_ensemble():
    values = paper_values("estimates", "radial").set_index("column")["value"]
    claim = slip("radial-ensemble")
    recomputed = abs(values["ensemble"] - values["oracle"])
    assert recomputed == pytest.approx(claim["recomputed"])
    assert claim["prints"] == [0.0536, 0.0537]
    assert paper_values("diff", "radial").set_index("column")["value"]["ensemble"] == 0.0536


def test_slip_mixture_otdd():
    column = paper_values("metrics", "mixture").query("column == 'otdd'")
    assert column["value"].is_unique, "no ties that rounding could have made"
    recomputed = spearmanr(column["level"], column["value"]).statistic
    claim = slip("mixture-otdd")
    assert round(recomputed, 4) == claim["recomputed"] != claim["prints"][0]


@pytest.mark.parametrize(("name", "level"), [("logistic", 1.0), ("mixture", 0.0)])
def test_slip_oracle_at_equality(name, level):
    claim = slip(f"oracle-at-equality-{name}")
    assert settings()[name](level).oracle() == claim["recomputed"] == 0
    values = paper_values("estimates", name)
    values = values[(values["column"] == "oracle") & (values["level"] == level)]
    assert values["value"].tolist() == claim["prints"]


@pytest.mark.parametrize(
    ("identifier", "name"),
    [("lda-means", "lda"), ("linear-text", "linear"), ("nonlinear-text", "nonlinear")],
)
def test_slip_text_of_settings(identifier, name):
    """The text's law misses the oracle column by far more than the law of the tables."""
    values = paper_values("estimates", name)
    column = values[values["column"] == "oracle"].set_index("level")["value"]
    make = settings()[name]
    worst = {
        variant: max(abs(make(x, variant=variant).oracle() - y) for x, y in column.items())
        for variant in ("text", "tables")
    }
    assert format(worst["text"], ".4g") == format(slip(identifier)["recomputed"], ".4g")
    assert worst["text"] > 40 * worst["tables"]


def test_slip_dogs_average():
    claim = slip("dogs-source-rer")
    average = {source: (5.0 + source) / 2 for source in claim["prints"]}
    assert [source for source, mean in average.items() if mean == -3.0] == [claim["recomputed"]]
