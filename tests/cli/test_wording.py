"""On the command line there is no Python spelling: notes and errors name options as they are typed."""

import ast
import re
from pathlib import Path

import pandas as pd
import pytest

import datakin
from datakin.cli.wording import OPTIONS, for_typing
from tests.unit.choose.models import ward

SAID = {
    "left out (to use them: keep=['patient', \"it's\"] / --keep patient)": (
        "left out (to use them: --keep patient)"
    ),
    "say task='regression' / --task regression if it is a quantity or a grade, task='multiclass' / --task "
    "multiclass if not": "say --task regression if it is a quantity or a grade, --task multiclass if not",
    "use fewer folds (cv=2 / --cv 2 of score, rank and matrix)": (
        "use fewer folds (--cv 2 of score, rank and matrix)"
    ),
    "Use fewer folds (cv / --cv) or finer groups.": "Use fewer folds (--cv) or finer groups.",
    "merge classes (label_map= / --label-map)": "merge classes (--label-map)",
    "2 tables left out (skip_unusable=True / --skip-unusable): 'a'": (
        "2 tables left out (--skip-unusable): 'a'"
    ),
    "say recode={'mine': {'age': {'> 89': '90'}}} (--recode 'mine::age:> 89=90').": (
        "say --recode 'mine::age:> 89=90'."
    ),
    "convert={'price': (0.001, 0)} (--convert price=0.001,0)": "--convert price=0.001,0",
    "(consider group=, --group, or drop copies)": "(consider --group, or drop copies)",
    "(then delimiter=';', --delimiter ';'), or with decimal points.": (
        "(then --delimiter ';'), or with decimal points."
    ),
    "Say delimiter=';' (--delimiter on the command line).": "Say --delimiter ';'.",
    "encoding='cp1252' (--encoding) reads the file": "--encoding cp1252 reads the file",
    "leave it out with ignore=['a b'] (--ignore).": "leave it out with --ignore 'a b'.",
    "Say header=False (--no-header).": "Say --no-header.",
    "table= (--table, --sheet) names a table": "--table, --sheet names a table",
    "Either table= (--table) or query= (--query) says": "Either --table or --query says",
    "The 'encoding' parameter (--encoding) must be known.": "--encoding must be known.",
    "The 'random_state' parameter must be a whole number.": "--seed must be a whole number.",
    "Got 'a' in keep (--keep) and in ignore (--ignore); leave": "Got 'a' in --keep and in --ignore; leave",
    "(max_rows, --max-rows) would mend that": "(--max-rows) would mend that",
    "at random (read_rows of read_table, --read-rows)": "at random (--read-rows)",
    "replace it: --force, in Python overwrite=True.": "replace it: --force.",
    "... and 3 more (see .notes, or `datakin check`)": "... and 3 more (see `datakin check`)",
    "... and 3 more (see .notes)": "... and 3 more (see --json)",
    "... and 3 more (.things, --json)": "... and 3 more (--json)",
    "domain='site' splits one table. Got 2": "--domain site splits one table. Got 2",
    "for the kernel learner; learners=['linear', 'trees'] holds none": (
        "for the kernel learner; --learners linear,trees holds none"
    ),
    "leave out screen=True (--screen), or compare them alone: score(target, source).": (
        "leave out --screen, or compare them alone: datakin score."
    ),
    "Columns a=1 and b='x' of --rename old=new stay": "Columns a=1 and b='x' of --rename old=new stay",
    "must be a number of jobs, -1 for all cores, or None. Got 0": (
        "must be a number of jobs, -1 for all cores. Got 0"
    ),
    "Missing column: 'age' (--rename OLD=age)": "Missing column: 'age' (--rename OLD=age)",
}


@pytest.mark.parametrize("text", SAID)
def test_only_what_is_typed_is_said(text):
    assert for_typing(text) == SAID[text]
    assert for_typing(SAID[text]) == SAID[text]


def messages():
    """Yield the sentences of the package that name an option, values filled in."""
    for path in sorted(Path(datakin.__file__).parent.rglob("*.py")):
        if "cli" in path.parts or "results" in path.parts:
            continue
        code = path.read_text(encoding="utf-8")
        if "--" not in code:
            continue
        nodes = list(ast.walk(ast.parse(code)))
        docs = {
            id(node.body[0].value)
            for node in nodes
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        inside = {
            id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values
        }
        for node in nodes:
            if not isinstance(node, (ast.Constant, ast.JoinedStr)):
                continue
            if id(node) in docs or id(node) in inside:
                continue
            text = filled(node)
            if re.search(r"[=\w)\]}'] ?(/ |\(|, )--[a-z]", text):
                yield f"{path.name}:{node.lineno}", text


def filled(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = []
    for part in node.values:
        quoted = isinstance(part, ast.FormattedValue) and part.conversion == ord("r")
        parts.append(part.value if isinstance(part, ast.Constant) else "'x'" if quoted else "x")
    return "".join(map(str, parts))


def test_no_sentence_of_the_package_is_left_with_python():
    places = dict(messages())
    assert len(places) > 30
    names = "|".join((*OPTIONS, "rename", "recode", "convert", "label_map"))
    for place, text in places.items():
        said = for_typing(text)
        assert "--" in said, place
        rest = re.sub(
            r"--[a-z-]+( '[^']*'| [^\s')]+)?", "", said
        )  # what is typed may hold an equals sign
        assert not re.search(rf"\b({names})=|(?<![\w./`])\.[a-z_]+\b", rest), (place, said)
        open_before, open_after = (t.count("(") - t.count(")") for t in (text, said))
        assert open_after == open_before, place


def test_notes_and_errors_of_a_run(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("a", "b")):
        ward(seed, n=60).assign(patient=range(60)).to_csv(f"{name}.csv", index=False)
    words = ("score", "a.csv", "b.csv", "--label", "died", "--models", "logistic", "--cv", "3")
    code, out, err = call_main(*words, "--report", "r.html")
    assert code == 0
    assert "(to learn from them: --keep patient)" in " ".join(out.split())
    assert "keep=[" not in out + err + Path("r.html").read_text(encoding="utf-8")
    code, _, err = call_main(*words, "--report", "r.html")
    assert err == (
        "Error: --report 'r.html' is already there. Choose another name, or replace it: --force.\n"
    )
    code, _, err = call_main(*words, "--repeats", "0")
    assert code == 1
    assert "--repeats must be" in err


def test_a_label_with_grades_is_asked_about_as_typed(tmp_path, monkeypatch, call_main):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        frame = pd.DataFrame({"x": range(40), "y": [k % 12 + 0.5 for k in range(40)]})
        frame.to_csv(f"{name}.csv", index=False)
    code, _, err = call_main("score", "a.csv", "b.csv", "--label", "y", "--task", "binary")
    assert code == 1
    assert not re.search(r"\btask=", err)


@pytest.mark.parametrize(
    "text",
    [
        "No file matches 'group=1/nothere.csv'.",
        "The ignored column 'keep=2' must be one of the columns: 'a', 'keep=1', 'One or None'.",
        "Got 'north.csv=table=2' and \"it's / --keep\".",
        "the target's rows and the source's rows",
        "Convert it: --convert theirs::weight=0.45359237,0",
    ],
)
def test_names_of_users_stay_as_they_are(text):
    assert for_typing(text) == text
