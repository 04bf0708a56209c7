"""What messages print to be typed is understood when it is typed."""

import pytest

from datakin._core.typed_options import typed
from datakin.cli.corrections import parse_convert, parse_recode, parse_rename

NAMES = ["plain", "a=b", "a:b", "x::y", "back\\slash", "a,b", "\\=", "it's: a = b, c"]


def words(option):
    """Return what the shell makes of an option."""
    import shlex

    flag, value = shlex.split(option)
    assert flag.startswith("--")
    return [value]


@pytest.mark.parametrize("table", ["", *NAMES])
@pytest.mark.parametrize("name", NAMES)
def test_names_come_through(name, table):
    def of(found):
        return found[table] if table else found

    for other in NAMES:
        renamed = parse_rename(words(typed("rename", name, "=", other, table=table)))
        assert of(renamed) == {name: other}
        recoded = parse_recode(words(typed("recode", name, ":", other, "=", "new", table=table)))
        assert of(recoded) == {name: {other: "new"}}
    assert of(parse_convert(words(typed("convert", name, "=5/9,-3", table=table)))) == {
        name: (5 / 9, -3.0)
    }


@pytest.mark.parametrize("name", NAMES)
def test_names_in_lists_come_through(name):
    from datakin.cli.reading import names as _split

    assert _split(words(typed("keep", name))) == [name]
