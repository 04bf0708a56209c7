"""The hospital study: undersampling, the choice of domains, and the table in the paper's form."""

import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError, as_dataset
from datakin.transfer import Concatenate
from reproduction import hospitals
from reproduction.hospital_tables import CONDITIONS, PHYSIOLOGY, eicu_domains, read_eicu
from reproduction.hospitals import (
    absent_domains,
    balance,
    choose_domains,
    hospital_rows,
    hospital_summary,
)
from reproduction.studies import STUDIES, reproduce


def make_domain(name, n=120, deaths=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < deaths
    X = rng.standard_normal((n, 3)) + y[:, None]
    return as_dataset(X, y.astype(int), name=name)


def test_balance_keeps_all_of_the_rare_class():
    domain = make_domain("icu")
    even = balance(domain)
    assert np.bincount(even.y).tolist() == [30, 30]
    assert np.isin(even.features.numeric[:, 0], domain.features.numeric[:, 0]).all()
    assert even.fingerprint == balance(domain).fingerprint != balance(domain, seed=1).fingerprint


@pytest.mark.parametrize("deaths", [0, 9])
def test_balance_refuses_what_leaves_one_class(deaths):
    domain = make_domain("icu", deaths=30)
    kept = np.flatnonzero(domain.y == 0)
    rows = np.concatenate([kept, np.flatnonzero(domain.y == 1)[:deaths]])
    with pytest.raises(DatakinError, match=rf"'icu' has '90', '{deaths}' row"):
        balance(domain.take(rows))


def test_target_has_the_highest_mortality_and_sources_the_most_survivors():
    made = {
        "a": make_domain("a", 100, 20),
        "b": make_domain("b", 100, 40),
        "c": make_domain("c", 200, 20),
        "d": make_domain("d", 150, 20),
        "few": make_domain("few", 60, 9),  # dies most seldom, and of too few to count
    }
    assert choose_domains(made, "1") == ("b", ("c", "d", "a"))
    assert choose_domains({name: made[name] for name in ("a", "b", "few")}, "1") is None


def test_at_most_ten_sources():
    made = {f"h{i}": make_domain(f"h{i}", 100 + i, 20 + 30 * (i == 0)) for i in range(14)}
    target, sources = choose_domains(made, "1")
    assert target == "h0"
    assert len(sources) == 10


def test_rows_of_a_split(monkeypatch):
    monkeypatch.setattr(hospitals, "METHODS", {"Direct Concat": Concatenate()})
    monkeypatch.setattr(hospitals, "FOREST", {"n_estimators": 3, "min_samples_leaf": 5})
    made = {name: make_domain(name, 100, 20 + 5 * seed, seed) for seed, name in enumerate("abc")}
    rows = pd.DataFrame(hospital_rows(made, "1", seed=0))
    assert set(rows["target"]) == {"c"}
    assert rows["rate"].unique() == pytest.approx([0.3])
    assert (rows["method"] == "score").sum() == 2
    assert set(rows["zone"].dropna()) <= {"PT", "AZ", "NT"}
    later = pd.DataFrame(hospital_rows(made, "1", seed=1))
    assert len(later) == 2, "scores do not depend on the split"
    assert later["target_error"].between(0, 1).all()


def made_rows(**changed):
    known = {"domains": "toy", "target": "t", "n_target": 60, "rate": 0.2, "fingerprint": "f"}
    rows = []
    for source, zone in (("s1", "PT"), ("s2", "NT")):
        score = {"n_source": 80, "cls": 0.01, "matched": 0.01, "zone": zone}
        rows.append({**known, "seed": 0, "method": "score", "source": source, **score})
        for seed in (0, 1):
            for method in hospitals.METHODS:
                errors = {"target_alone": 0.4, "source_alone": 0.2, "source_error": 0.2}
                errors["target_error"] = 0.3 if source == "s1" else 0.5
                line = {"seed": seed, "method": method, "source": source}
                rows.append({**known, **line, **errors, **changed})
    return pd.DataFrame(rows)


def test_table_in_the_papers_form():
    summary = hospital_summary(made_rows(), "About.", {"toy": "Two are absent."})
    first, second = summary.frame.to_dict("records")
    # Target: 1 - .3 / .4 = 25%, source: 0, average 12.5%; the other: 1 - .5 / .4 = -25%.
    assert first["ART target"] == pytest.approx(0.25)
    assert first["ART average"] == pytest.approx(0.125)
    assert second["KinWeighted average"] == pytest.approx(-0.125)
    assert (
        "| Src. | rows | Direct Concat | ART | TrAdaBoost | DTrAdaBoost | KinWeighted | Zone |"
        in summary.text
    )
    assert "| s1 | 80 | **+12.5%** |" in summary.text
    assert "| s2 | 80 | -12.5% |" in summary.text
    assert "The paper's rule: 1 PT, 0 AZ, 1 NT. Of the 1 PT, 1 gain on average" in summary.text
    assert "Of the 1 NT, 0 have a 95% interval of target RER above 0." in summary.text
    assert "2 source(s), 2 random split(s). Two are absent.\n" in summary.text


def test_one_split_has_no_interval():
    rows = made_rows()
    summary = hospital_summary(rows[rows["seed"] == 0], "About.", {})
    assert "1 NT. Of the 1 PT, 1 gain on average" in summary.text
    assert "One split gives no interval to hold the NT against." in summary.text
    assert "target RER above 0" not in summary.text


def test_domains_that_are_left_out_are_named():
    sizes = pd.DataFrame({0: [90, 40, 30], 1: [10, 3, 0]}, index=["West", "South", "North"])
    assert absent_domains(sizes) == (
        "2 of 3 domains have fewer than 10 deaths or survivors and are left out: 'South (3)', 'North (0)'."
    )
    assert absent_domains(sizes[:1]) == ""


def test_replicates_of_other_data_are_refused():
    rows = pd.concat([made_rows(), made_rows(fingerprint="g")], ignore_index=True)
    with pytest.raises(DatakinError, match="of other data than these"):
        hospital_summary(rows, "About.", {})


def test_nothing_to_study():
    with pytest.raises(DatakinError, match="three domains with 10 deaths"):
        hospital_summary(pd.DataFrame(), "About.", {})


@pytest.fixture
def eicu_tables(tmp_path):
    """Tables as the full database has them: camel case, zipped; two regions with deaths."""
    n = 120
    rng = np.random.default_rng(0)
    stay = np.arange(n)
    patient = pd.DataFrame(
        {
            "patientunitstayid": stay,
            "uniquepid": [f"p{i}" for i in stay],
            "hospitalid": stay % 4,
            "gender": rng.choice(["Female", "Male"], n),
            "age": np.where(stay == 0, "> 89", rng.integers(20, 89, n).astype(str)),
            "ethnicity": "Other",
            "admissionheight": rng.normal(170, 9, n),
            "admissionweight": rng.normal(80, 9, n),
            "unittype": "MICU",
            "unitadmitsource": rng.choice(["Floor", "Emergency"], n),
            "hospitaldischargestatus": np.where(stay % 3 == 0, "Expired", "Alive"),
        }
    )
    patient.loc[1, "hospitaldischargestatus"] = None
    hospital = pd.DataFrame(
        {
            "hospitalid": range(4),
            "numbedscategory": ["<100", "100 - 249", None, ">= 500"],
            "teachingstatus": [True, False, False, False],
            "region": ["West", "West", "South", None],
        }
    )
    aps = pd.DataFrame(rng.normal(50, 9, (n, len(PHYSIOLOGY))), columns=PHYSIOLOGY)
    aps["ph"] = -1.0
    aps.loc[7, "sodium"] = -1.0
    pred = pd.DataFrame(rng.integers(0, 2, (n, len(CONDITIONS))), columns=CONDITIONS)
    tables = {"patient": patient, "hospital": hospital}
    tables["apacheApsVar"] = aps.assign(patientunitstayid=stay)
    tables["apachePredVar"] = pred.assign(patientunitstayid=stay)
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv.gz", index=False)
    return tmp_path


def test_eicu_tables(eicu_tables):
    stays = read_eicu(eicu_tables)
    assert len(stays) == 119, "one stay has no outcome"
    assert stays["died"].sum() == 40
    assert stays.loc[stays["patientunitstayid"] == 0, "age"].item() == 90
    assert stays["ph"].isna().all(), "-1 stands for missing"
    regions = eicu_domains(eicu_tables, "region")
    assert {name: d.n_rows for name, d in regions.items()} == {
        "South": 30,
        "West": 59,
        "region unknown": 29,  # that with the gap is gone
    }
    assert "ph" not in regions["West"].columns
    kept = eicu_domains(eicu_tables, "region", "kept")
    assert kept["region unknown"].n_rows == 30
    assert set(eicu_domains(eicu_tables, "beds and teaching")) == {
        "100 - 249 beds",
        ">= 500 beds",
        "teaching",
        "unknown beds",
    }


def test_missing_tables_are_named(eicu_tables, tmp_path):
    (eicu_tables / "hospital.csv.gz").unlink()
    with pytest.raises(DatakinError, match="must hold the eICU table hospital"):
        read_eicu(eicu_tables)
    with pytest.raises(DatakinError, match="The eICU tables were expected in"):
        reproduce("eicu", folder=tmp_path / "out", data=tmp_path / "..", replicates=1)
    with pytest.raises(DatakinError, match=r"gusto\.csv\.gz was expected in"):
        reproduce("gusto", folder=tmp_path / "out", data=tmp_path, replicates=1)
    with pytest.raises(DatakinError, match="The data must be in a folder"):
        reproduce("gusto", folder=tmp_path / "out", data=tmp_path / "nowhere")


def test_studies_are_listed():
    assert {"eicu", "gusto"} <= set(STUDIES)
