"""Saved cross errors: the same numbers in another process; what is damaged is refused."""

import json
import subprocess
import sys

import pytest

import datakin
from datakin import CrossErrors, DatakinError

LOOKS = [
    {},
    {"size": "limit", "direction": 0.2},
    {"estimate": "linear_svm", "zones": "paper", "zone_error": "folds"},
    {"sharpness": 3.0},
    {"voting": "hard", "estimate": "unweighted"},
]
SCRIPT = """
import json, sys
from datakin import CrossErrors
errors = CrossErrors.load(sys.argv[1])
found = [errors.frame.to_json(), errors.estimates("d3", "d0").to_json()]
for look in json.loads(sys.argv[2]):
    found += [errors.score("d0", "d1", **look).to_json(), errors.rank("d2", **look).to_json()]
    if "direction" not in look:
        found.append(errors.matrix(**look).to_json())
print(json.dumps(found))
"""


@pytest.fixture
def saved(errors, tmp_path):
    errors.save(tmp_path / "saved")
    return tmp_path / "saved"


def test_the_same_numbers_in_another_process(errors, saved):
    call = [sys.executable, "-c", SCRIPT, str(saved), json.dumps(LOOKS)]
    said = subprocess.run(call, capture_output=True, check=True, text=True)
    expected = [errors.frame.to_json(), errors.estimates("d3", "d0").to_json()]
    for look in LOOKS:
        expected.append(errors.score("d0", "d1", **look).to_json())
        expected.append(errors.rank("d2", **look).to_json())
        if "direction" not in look:
            expected.append(errors.matrix(**look).to_json())
    assert json.loads(said.stdout) == expected


def test_what_is_loaded_can_be_saved_again(errors, saved, tmp_path):
    CrossErrors.load(saved).save(tmp_path / "again")
    again = CrossErrors.load(tmp_path / "again")
    assert again.frame.equals(errors.frame)
    assert again.rank("d0", sharpness=2.0) == errors.rank("d0", sharpness=2.0)
    assert repr(again) == repr(errors)


def test_an_empty_folder_is_fine_and_a_full_one_refused(errors, tmp_path):
    place = tmp_path / "empty"
    place.mkdir()
    errors.save(place)
    before = {file: file.read_bytes() for file in place.rglob("*") if file.is_file()}
    with pytest.raises(DatakinError, match=r"saved to a new or empty folder.*name another"):
        errors.save(place)
    assert {file: file.read_bytes() for file in place.rglob("*") if file.is_file()} == before
    (tmp_path / "file").write_text("")
    with pytest.raises(DatakinError, match="saved to a new or empty folder"):
        errors.save(tmp_path / "file")


def test_a_folder_that_cannot_be_written_to(errors):
    with pytest.raises(DatakinError, match="can be written to"):
        errors.save("/proc/datakin")


@pytest.mark.parametrize("path", ["nowhere", "file", "empty"])
def test_what_holds_no_cross_errors(tmp_path, path):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatakinError, match=r"holds no cross errors .* it has no about\.json"):
        CrossErrors.load(tmp_path / path)


def test_a_checkpoint_of_the_earlier_format(tmp_path, four, fast):
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(DatakinError, match=r"holds no cross errors.*of an earlier version"):
        CrossErrors.load(tmp_path)
    with pytest.raises(DatakinError, match="made by an earlier version of datakin"):
        datakin.matrix(four, checkpoint=tmp_path, **fast)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "\x00\x01"])
def test_a_torn_note(saved, text):
    (saved / "about.json").write_text(text)
    with pytest.raises(DatakinError, match=r"'about.json' of .* is damaged"):
        CrossErrors.load(saved)


def test_half_a_note_wherever_it_ends(saved):
    note = saved / "about.json"
    content = note.read_bytes()
    for end in range(0, len(content) - 1, 11):
        note.write_bytes(content[:end])
        with pytest.raises(DatakinError, match=r"'about.json' of .* is damaged"):
            CrossErrors.load(saved)


def test_another_format(saved):
    note = saved / "about.json"
    about = json.loads(note.read_text())
    for number in (2, 99, "3", None):
        note.write_text(json.dumps({**about, "format": number}))
        with pytest.raises(DatakinError, match=f"have format {number!r}; this version reads"):
            CrossErrors.load(saved)


def test_a_torn_or_missing_table(saved):
    file = saved / "table.parquet"
    content = file.read_bytes()
    for made in (b"", b"PAR1", b"not parquet", content[: len(content) // 2], content[:-1]):
        file.write_bytes(made)
        with pytest.raises(DatakinError, match=r"'table.parquet' of .* missing or damaged"):
            CrossErrors.load(saved)
    file.unlink()
    with pytest.raises(DatakinError, match=r"'table.parquet' of .* missing or damaged"):
        CrossErrors.load(saved)


@pytest.mark.parametrize("made", [b"", b"PAR1", b"not parquet"])
def test_a_unit_that_is_no_parquet_file(saved, made):
    (saved / "units" / "00001.parquet").write_bytes(made)
    with pytest.raises(DatakinError, match=r"'00001.parquet' of .* missing or damaged"):
        CrossErrors.load(saved)


def test_a_saved_table_that_lost_a_unit_is_refused(saved):
    (saved / "units" / "00001.parquet").unlink()
    with pytest.raises(
        DatakinError, match=r"The file '00001\.parquet' of .* is missing or damaged"
    ):
        CrossErrors.load(saved)


def test_a_lost_unit_of_a_checkpoint_costs_its_pairs(errors, four, fast, tmp_path):
    CrossErrors.measure(four, trials="d0", checkpoint=tmp_path, **fast)
    next((tmp_path / "units").glob("d1-*.parquet")).unlink()
    part = CrossErrors.load(tmp_path)
    assert not part.complete
    assert "interrupted" in repr(part)
    assert len(part.pairs) == 3
    left = sorted({name for names in part.pairs for name in names})
    assert part.score(*left[:2]) == errors.score(*left[:2])


def test_foreign_files_beside_it_do_not_matter(errors, saved):
    (saved / "notes.txt").write_text("mine")
    (saved / "units" / "notes.txt").write_text("mine")
    (saved / "more").mkdir()
    assert CrossErrors.load(saved).matrix() == errors.matrix()


def test_nothing_is_executed_from_a_file(saved):
    for file in saved.rglob("*"):
        if file.is_file():
            assert b"pickle" not in file.read_bytes()
    assert sorted(p.name for p in saved.iterdir()) == ["about.json", "table.parquet", "units"]
