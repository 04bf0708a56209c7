"""The kinds of difference between two datasets: what to say, and the option that would mend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from datakin._core.exceptions import listed
from datakin._core.typed_options import name_options, recode_options

KINDS = (  # worst first
    *("classes", "dates", "units", "kinds", "name", "levels", "codes", "values"),
    *("range", "columns"),
)
MOST = 60  # levels that one option recodes
FEW = 3  # levels of a recoding that is an example only

About = tuple[str, str, str]  # a column, and the names of target and source
Both = tuple[str, str]  # of the target, and of the source


@dataclass(frozen=True)
class Thing:
    """One thing to look at.

    Attributes
    ----------
    kind : str
        "problem", "note", "group" (rows that may belong together), "folds", or one of `KINDS`.
    about : tuple of str
        The tables or datasets that it is about.
    text : str
    option_python, option_cli : str
        What to type; empty if the text says it, or if there is nothing to type.
    """

    kind: str
    about: tuple[str, ...]
    text: str
    option_python: str = ""
    option_cli: str = ""

    @property
    def advice(self) -> str:
        """The text with the option."""
        return f"{self.text}: {self.option_python} / {self.option_cli}"


@dataclass(frozen=True)
class Difference:
    """One thing that differs between a target and a source.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    column : str
        The column that it is about, as the target calls it.
    target, source : str
        The names of the two.
    sentence : str
        What differs, in words.
    options : tuple of str
        What to type to mend it, in Python and on the command line; empty if there is nothing.
    leaves_out : bool
        Whether the column is not used because of it.
    unsure : str
        What must be known before values can be recoded, with all that may be typed.
    lacking : {"", "target", "source"}
        Which of the two does not use the columns, if only one does.
    note : str
        What a note on the pair says of these columns.
    """

    kind: str
    column: str
    target: str
    source: str
    sentence: str
    options: Both = ("", "")
    leaves_out: bool = False
    unsure: str = ""
    lacking: str = ""
    note: str = ""

    @property
    def advice(self) -> str:
        """The sentence, with the options."""
        python, cli = self.options
        return f"{self.sentence}: {python} / {cli}" if python else self.sentence

    @property
    def order(self) -> tuple[int, bool, str]:
        """Where it comes in a list, worst first; columns that the source lacks before others."""
        return KINDS.index(self.kind), self.lacking == "target", self.column


def no_value_in_common(about: About) -> Difference:
    """Return a code of the dataset, such as a site's wards, which is left out."""
    sentence = f"{about[0]!r} has no value in common, like a code of the dataset, and is left out"
    return Difference("codes", *about, sentence, name_options("keep", [about[0]]), leaves_out=True)


def other_levels(
    about: About,
    there: Mapping[str, str],
    here: Mapping[str, str],
    levels: tuple[Sequence[str], Sequence[str]] = ((), ()),
    *,
    has_none: bool = False,
    kind: str = "levels",
) -> Difference:
    """Return values that mean the same and are written differently: levels of a column, or classes.

    `there` recodes the source's values into the target's, `here` the target's into the source's; one of
    them may be empty. `levels` are all values of both, needed where one may lack some of the other. If
    no value is in common, the column is not used as it is.
    """
    column, target, source = about
    what = "the classes" if kind == "classes" else f"levels of {column!r}"
    ours, theirs = dict.fromkeys(here or there.values()), dict.fromkeys(there or here.values())
    both = f"{listed(ours)} in {target!r}, {listed(theirs)} in {source!r}"
    out = "; as they are, the column is left out" if has_none else ""
    sides = (target, levels[0], here), (source, levels[1], there)
    # The source is recoded, or the target where only that is possible.
    (like, others, _), (table, own, values) = sides if there else sides[::-1]
    alone = [value for value in own if value not in others and value not in values]
    recoded = partial(recode_options, table, column)
    unsure = _unsure(values, recoded, like, alone)
    return Difference(
        kind,
        *about,
        f"{what} look coded differently: {both}{out}{f'; {unsure}' if unsure else ''}",
        ("", "") if unsure else recoded(values),
        has_none,
        unsure,
    )


def _unsure(
    values: Mapping[str, str],
    recoded: Callable[[Mapping[str, str]], Both],
    like: str,
    alone: Sequence[str],
) -> str:
    """Say what must be known before values are recoded like those of a dataset; empty if nothing."""
    either = values.keys() & set(values.values())
    if len(values) == 2 and len(either) == 1:  # of 1 and 2 that become 0 and 1, the 1 may be a 1
        (one,) = either
        other = {old: values[one] for old in values if old != one}
        ways = [" / ".join(recoded(way)) for way in (values, other)]
        return (
            f"{one!r} may mean either: if it is {values[one]!r} of {like!r}, say {ways[0]}; if it is "
            f"{one!r} of {like!r}, say {ways[1]}"
        )
    some = " / ".join(recoded(dict(list(values.items())[:FEW])))
    if len(values) > MOST:
        return f"{len(values)} need another spelling, for example {some}"
    if not alone:
        return ""
    return f"none is like {listed(alone, limit=3)}, so that all need a look: for example {some}"
