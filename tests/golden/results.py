"""The recorded texts: all that results say in the terminal, a notebook, JSON and a report.

A call returns one text of several parts, each below a line that begins with "== ". Those of the command
line are in `commands`, those of refusals in `refusals`.
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import datakin
from datakin import DatakinWarning
from tests.golden.calls import LOCAL, STORED
from tests.golden.data import classes, draw, mixed, planted_frames, table
from tests.golden.words import LEFT_OUT, laid_out, rounded, without

Said = Callable[[], str]

ERRORS = {*LEFT_OUT, "errors"}  # of which there are hundreds, and whose numbers are recorded
WITHOUT_REPORT = {"Metrics", "ModelCard", "Predictions"}


@cache
def outcome(name: str) -> tuple[Any, tuple[str, ...]]:
    """Return the result of a recorded call, and the warnings on its way; each is made once."""
    return heard({**STORED, **LOCAL}[name])


def heard(call: Callable[[], Any]) -> tuple[Any, tuple[str, ...]]:
    """Return what a call gives, and the warnings of datakin that it made."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DatakinWarning)
        result = call()
    for each in caught:
        if not issubclass(each.category, DatakinWarning):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return result, tuple(str(w.message) for w in caught if issubclass(w.category, DatakinWarning))


def told(result: Any, warned: tuple[str, ...] = (), *, in_full: bool = True) -> str:
    """Return what a result says: in the terminal only, or everywhere."""
    parts = {
        "line": repr(result),
        "text": str(result),
        "notes": lines(getattr(result, "notes", ())),
    }
    parts["warnings"] = lines(warned)
    if in_full:
        parts["JSON"] = laid_out(without(json.loads(result.to_json()), ERRORS))
        parts["notebook"] = rounded(result._repr_html_().replace("><", ">\n<"))
    if in_full and type(result).__name__ not in WITHOUT_REPORT:
        parts |= report_of(result)
    return "\n\n".join(f"== {name}\n{text}" for name, text in parts.items() if text)


def lines(texts: Any) -> str:
    return "\n".join(f"- {text}" for text in texts)


def report_of(result: Any) -> dict[str, str]:
    """Return what a report shows: its data, and the page without them, styles and scripts."""
    with tempfile.TemporaryDirectory() as folder:
        path = datakin.write_report(result, Path(folder, "report.html"), command="datakin TYPED")
        page = path.read_text()
    view = re.search(r'id="datakin-view">(.*?)</script>', page, re.S)
    assert view is not None
    data = without(json.loads(view.group(1)))
    data.pop("words", None)  # of the scripts, the same in every report
    text = re.sub(r"(<(script|style)[^>]*>).*?(</\2>)", r"\1\3", page, flags=re.S)
    bare = text.partition("<noscript>")[2].partition("</noscript>")[0]
    return {"report": laid_out(data), "page": bare.replace(escape(str(result)), "(text)").strip()}


def of_call(name: str, *, in_full: bool = True) -> Said:
    return lambda: told(*outcome(name), in_full=in_full)


def of(call: Callable[[], Any], *, in_full: bool = True) -> Said:
    return lambda: told(*heard(call), in_full=in_full)


# Descriptions, predictions and other results that are texts of their own.


def messy() -> pd.DataFrame:
    """A table with much to look at."""
    frame = table(80, 3)
    n = np.arange(80)
    return frame.assign(
        id=n + 1000,
        income=np.where(n % 9 == 0, -999.0, 100.0 * n + 7),
        told=frame.y.eq("ill") * 1.5,
        money=[f"{v},5" for v in n],
        same="x",
        empty=None,
        code=[f"{v % 40:03d}" for v in n],
    )


def describe(*frames: pd.DataFrame, in_full: bool = False, **options: Any) -> Said:
    tables = dict(zip(("mine", "theirs", "others"), frames, strict=False))
    return of(lambda: datakin.describe(tables, **{"label": "y", **options}), in_full=in_full)


DESCRIPTIONS: dict[str, Said] = {
    "text_describe": describe(table(60, 1), table(70, 2, 0.5)),
    "text_describe_columns": describe(table(60, 1), label=None, in_full=True),
    "text_describe_messy": describe(messy(), table(70, 2, 0.5), in_full=True),
    "text_describe_units": describe(*planted_frames("units")),
    "text_describe_codes": describe(*planted_frames("codes"), draw(50, 5)),
    "text_describe_names": describe(*planted_frames("names")),
    "text_describe_unusable": describe(
        table(60, 1), table(12, 2), table(60, 3).assign(y="ill"), in_full=True
    ),
    "text_describe_domain": of(
        lambda: datakin.describe(
            pd.concat([draw(40, k).assign(site=site) for k, site in enumerate("abc")]),
            label="y",
            domain="site",
        )
    ),
    "text_describe_numbers": describe(*planted_frames("units", "regression")),
    "text_describe_corrected": describe(
        *planted_frames("units"), convert={"theirs": {"a": (5 / 9, -160 / 9)}}, recode={"c": {"red": "r"}}
    ),
}  # fmt: skip


@cache
def model(is_class: bool) -> Any:
    """A model of tables with text and dates."""
    target, source = (mixed(n, k, 0.2 * k, is_class=is_class) for n, k in ((70, 1), (90, 2)))
    return heard(lambda: datakin.choose(target, [source], repeats=2))[0].model


def verdicts() -> str:
    """What a choice says when it is held against fresh rows, and what models say of themselves."""
    choice, _ = outcome("choose")
    found = [choice.tested_on(classes(n, k, 0.6 * k)) for n, k in ((60, 9), (200, 8), (25, 7))]
    return "\n\n".join(
        [*found, repr(choice.model), repr(model(False)), str(choice.metrics_on(classes(60, 9)))]
    )


MODELS: dict[str, Said] = {
    "text_card": of(lambda: model(True).card),
    "text_card_numbers": of(lambda: model(False).card),
    "text_verdicts": verdicts,
}

# Results of which the numbers are recorded, too: in full, or as they are in the terminal.
FULL = (
    *("binary", "regression", "itself", "as_in_paper", "rank_columns_differ", "rank_screened"),
    *("matrix", "matrix_calls", "transfer", "transfer_regression"),
    *("choose", "choose_four", "choose_regression", "choose_alone", "choose_unusable"),
    *("choose_added", "explain", "explain_nothing", "explain_units", "explain_lacking"),
    *("explain_several", "explain_regression", "explain_itself"),
    *("explain_sources_comparison", "explain_sources_choice"),
)
BRIEF = (
    *("four", "class_missing", "columns_differ", "rows_in_common", "loss_brier_four", "size_limit"),
    *("sampled_large_source", "zones_paper_rows", "rank_regression", "rank_resumed"),
    *("matrix_regression", "matrix_skips_one", "kin_stack_gain", "choose_mixed", "choose_one"),
    *("choose_unused", "choose_rows_in_common", "choose_classes_missing", "choose_classes_more"),
    *("choose_rare", "choose_groups", "choose_weights", "choose_own", "choose_loss_callable"),
    *("choose_without_pools", "choose_sampled", "explain_base_rate", "explain_codes"),
    *("explain_cycle", "explain_blanks", "explain_missing", "explain_names", "explain_classes"),
    *("explain_leak", "explain_copies", "explain_several_classes", "explain_units_numbers"),
    *("explain_level_numbers", "explain_trees", "explain_own", "explain_brier", "explain_mixed"),
    *("explain_groups", "explain_weights", "explain_sampled", "explain_sources_ranking"),
)
RESULTS: dict[str, Said] = {
    **{f"text_{name}": of_call(name) for name in FULL},
    **{f"text_{name}": of_call(name, in_full=False) for name in BRIEF},
}


def part(name: str, key: str) -> Said:
    """One of several results of a recorded call."""
    return lambda: told(outcome(name)[0][key])


PARTS: dict[str, Said] = {
    "text_distance": part("distances", "energy"),
    "text_distance_otdd": part("distances", "otdd"),
    "text_distance_ranking": part("distances_rank", "energy"),
    "text_distance_matrix": part("distances_matrix", "energy"),
}

DEEP: dict[str, Said] = {
    "text_deep": of_call("deep"),
    "text_deep_rank": of_call("deep_rank", in_full=False),
    "text_deep_matrix": of_call("deep_matrix_regression", in_full=False),
}

SAID: dict[str, Said] = {**RESULTS, **PARTS, **DESCRIPTIONS, **MODELS, **DEEP}
