"""--rename, --recode and --convert: how they are typed, and that they reach the reading."""

import json

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import DatakinError
from datakin.cli.corrections import parse_convert, parse_recode, parse_rename


@pytest.mark.parametrize(
    ("parse", "entries", "expected"),
    [
        (parse_rename, ["a=b", "c d=e"], {"a": "b", "c d": "e"}),
        (parse_rename, ["london::a=b", "x=y"], {"london": {"a": "b"}, "x": "y"}),
        (parse_rename, [r"a\=b=c", r"p\:\:q=r", "u:v=w"], {"a=b": "c", "p::q": "r", "u:v": "w"}),
        (parse_recode, ["sex:m=male", "sex:f=female"], {"sex": {"m": "male", "f": "female"}}),
        (parse_recode, ["london::sex:m=male"], {"london": {"sex": {"m": "male"}}}),
        (
            parse_recode,
            ["start:12:30=noon", "t:999="],
            {"start": {"12:30": "noon"}, "t": {"999": ""}},
        ),
        (parse_recode, [r"a\:b:c\=d=e\\f"], {"a:b": {"c=d": "e\\f"}}),
        (parse_convert, ["temp=0.5556,-17.78"], {"temp": (0.5556, -17.78)}),
        (parse_convert, ["temp=5/9,-160/9"], {"temp": (5 / 9, -160 / 9)}),
        (parse_convert, ["kg=0.4536"], {"kg": (0.4536, 0.0)}),
        (parse_convert, ["a::seen=%d/%m/%Y %H:%M"], {"a": {"seen": "%d/%m/%Y %H:%M"}}),
        (parse_rename, ["m=x", "m::a=b"], {"": {"m": "x"}, "m": {"a": "b"}}),
        (parse_recode, ["m::a:1=2", "m:3=4"], {"": {"m": {"3": "4"}}, "m": {"a": {"1": "2"}}}),
        (parse_convert, ["m=2", "m::a=3"], {"": {"m": (2.0, 0.0)}, "m": {"a": (3.0, 0.0)}}),
        (parse_rename, None, None),
    ],
)
def test_what_is_typed_becomes_the_option(parse, entries, expected):
    assert parse(entries) == expected


@pytest.mark.parametrize(
    ("parse", "entry", "message"),
    [
        (parse_rename, "a", "--rename must look like old=new"),
        (parse_rename, "a=b=c", "backslash before a ':', '=' or ','"),
        (parse_rename, "=b", "--rename must look like"),
        (parse_recode, "sex=male", "--recode must look like column:old=new"),
        (parse_recode, "sex:m", "--recode must look like"),
        (parse_convert, "temp", "--convert must look like column=slope,intercept"),
        (parse_convert, "temp=1,2,3", "--convert must look like"),
        (parse_convert, "temp=1/0", "--convert must look like"),
        (parse_convert, "temp=exec('1')", "--convert must look like"),
    ],
)
def test_what_cannot_be_understood_is_refused(parse, entry, message):
    with pytest.raises(DatakinError, match=message):
        parse([entry])


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
def test_a_score_of_corrected_tables_is_that_of_python(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    here = pd.DataFrame({"temp": rng.normal(37, 1, 80), "sex": rng.choice(["m", "f"], 80)})
    here["died"] = (here["temp"] + rng.normal(size=80) > 37).astype(int)
    there = here.sample(70, random_state=1).assign(temp=lambda f: f["temp"] * 1.8 + 32.5)
    there = there.rename(columns={"sex": "SEX"}).replace({"SEX": {"m": "M", "f": "F"}})
    here.to_csv("here.csv", index=False)
    there.to_csv("there.csv", index=False)
    code, out, err = call_main(
        *("score", "here.csv", "there.csv", "--label", "died", "--models", "logistic", "--cv", "3"),
        *("--rename", "there::SEX=sex", "--recode", "there::sex:M=m", "--recode", "there::sex:F=f"),
        *("--convert", "there::temp=5/9,-160/9", "--json"),
    )
    assert code == 0
    assert "there: converted: 0.5556 x - 17.78: 'temp'" in err
    found = datakin.read_tables(
        ["here.csv", "there.csv"],
        label="died",
        rename={"there": {"SEX": "sex"}},
        recode={"there": {"sex": {"M": "m", "F": "f"}}},
        convert={"there": {"temp": (5 / 9, -160 / 9)}},
    )
    score = datakin.score(found["here"], found["there"], models=["logistic"], cv=3)
    assert json.loads(out)["score"] == score.score


@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
def test_a_column_may_have_the_name_of_a_table(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    for name in ("mine", "theirs"):
        frame = pd.DataFrame({"mine": rng.normal(size=60), "a": rng.normal(size=60)})
        frame.assign(y=np.arange(60) % 2).to_csv(f"{name}.csv", index=False)
    words = [
        "--rename",
        "mine=x",
        "--rename",
        "mine::a=b",
        "--convert",
        "x=2",
        "--convert",
        "mine::b=3",
    ]
    code, out, err = call_main("check", "mine.csv", "theirs.csv", "--label", "y", *words, "--json")
    assert code == 0, err
    columns = {c["name"] for c in json.loads(out)["tables"][0]["columns"]}
    assert {"x", "b"} <= columns
