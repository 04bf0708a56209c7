"""Every public name and option is in the record, and a call uses it."""

import pytest

from datakin.cli import main
from tests.public import calls, commands, record
from tests.public.names import COMMAND_LINE, is_there, name_of, objects, surface
from tests.public.use import Use

# What no test may call, and why.
NOT_CALLED = {
    "$ datakin --install-completion": "it writes into the files of the shell",
    "$ datakin --show-completion": "what it prints depends on the shell that runs it",
    "datakin.transfer.TrAdaBoostR2.predict_proba": "numbers have no probabilities",
}

pytestmark = [
    pytest.mark.filterwarnings("default"),  # Dask's, and sockets that it leaves to the collector
    pytest.mark.filterwarnings("ignore::datakin.DatakinWarning"),
]


@pytest.fixture
def use(tmp_path, monkeypatch, capsys):
    def run(words):
        with pytest.raises(SystemExit) as stopped:
            main(words)
        _, err = capsys.readouterr()
        assert "Traceback" not in err
        return stopped.value.code

    monkeypatch.chdir(tmp_path)
    return Use(tmp_path, run)


def uncalled(use, entries):
    return [e for e in map(name_of, entries) if e not in use.seen and e not in NOT_CALLED]


def test_names_and_options_are_those_of_the_record():
    before, now = record.here(record.recorded()), surface()
    assert record.lost(before, now) == [], "say in GONE (tests/public/record.py) what replaces them"
    new = sorted({*now} - {*before})
    assert new == [], "python -m tests.public.record writes them into the record"
    gone = [entry for entry in before if record.is_gone(entry)]
    assert gone == [], "python -m tests.public.record takes them out of the record"


def test_users_are_told_what_replaces_a_name_that_is_gone():
    assert record.untold((record.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == []
    assert [name for name in record.GONE if name in {*map(name_of, surface())}] == []


def test_a_name_that_is_lost_is_found(monkeypatch):
    now = ["datakin.score", "datakin.score(cv) = 3", "datakin.scored"]
    before = ["datakin.old", "datakin.old(cv) = 3", "datakin.older", *now]
    assert record.lost(before, now) == before[:3]
    monkeypatch.setattr(record, "GONE", {"datakin.old": "datakin.score"})
    assert record.lost(before, now) == ["datakin.older"]
    assert record.untold("- `datakin.old` is no more.\n- See `datakin.score`.") == ["datakin.old"]
    assert record.untold("- Instead of `datakin.old`\n  take `datakin.score`.") == []


def test_every_name_and_option_of_the_package_has_a_call(use):
    needed = {"deep": "datakin.deep", "plots": "datakin.plots"}
    for name, call in calls.CALLS.items():
        if is_there(needed.get(name, "datakin")):
            call(use.within(name))
    entries = [entry for entry in surface() if not entry.startswith(COMMAND_LINE)]
    assert len(entries) > 1000
    assert {*map(name_of, entries)} >= {*objects()}
    assert uncalled(use, entries) == []


def is_of_distances(entry):
    return entry.startswith((f"{COMMAND_LINE} distance", "distance"))


@pytest.mark.parametrize(
    ("part", "least"), [(True, 250), (False, 250)], ids=["distances", "others"]
)
def test_every_command_and_flag_has_a_call(use, part, least):
    for name, call in commands.CALLS.items():
        if is_of_distances(name) == part:
            call(use.within(name))
    flags = [entry for entry in surface() if entry.startswith(COMMAND_LINE)]
    entries = [entry for entry in flags if is_of_distances(entry) == part]
    assert len(entries) > least
    assert uncalled(use, entries) == []
