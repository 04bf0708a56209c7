"""What contributors are told of rooms and files is so."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "datakin"


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def section(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text):
    """Return the rows of the first table, without its head."""
    found = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in found[1:]]


def rooms():
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each["id"] == "rooms")
    return [name for layer in layers for name in re.findall(r"\w+", layer)]


def test_design_lists_the_rooms_in_the_order_of_their_contract():
    told = [row[0].strip("`") for row in rows(section(read("docs/design.md"), "The rooms"))]
    assert told == [name for name in rooms() if name != "__main__"]


def test_the_picture_shows_every_room():
    shown = re.findall(r'class="name"[^>]*>(\w+)<', read("docs/images/rooms.svg"))
    beside = {"reproduction", "benchmarks"}
    assert sorted(shown) == sorted({*rooms(), *beside} - {"__main__"})


def test_where_to_change_what():
    found = rows(section(read("CONTRIBUTING.md"), "To change X, touch Y"))
    assert len(found) == 15
    for what, touch in found:
        files = re.findall(r"`([\w/]+\.(?:py|js))`", touch)
        assert 1 <= len(files) <= 3, what
        assert [name for name in files if not (SRC / name).exists()] == [], what


def test_names_in_that_table_are_in_its_files():
    text = section(read("CONTRIBUTING.md"), "To change X, touch Y")
    pairs = re.findall(r"`([\w/]+\.py)` \(([^)]*`[^)]*)\)", text)
    assert len(pairs) >= 5
    for file, told in pairs:
        for name in re.findall(r"`(\w+)`", told):
            assert re.search(rf"\b{name}\b", (SRC / file).read_text(encoding="utf-8")), (file, name)


def test_glossary_has_words():
    assert len(rows(section(read("CONTRIBUTING.md"), "Glossary"))) >= 12
