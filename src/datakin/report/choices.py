"""The report of a choice: what to use, what error to expect, and how sure that is."""

from __future__ import annotations

from math import isfinite
from typing import Any

from datakin.report.sections import bars, column, forest, origin, pairs, section, view
from datakin.report.words import enumerated, plural, shortened, verdict_of
from datakin.results import Choice, SourceChoice
from datakin.results.choice_text import (
    CALLS,
    IN_POINTS,
    amount,
    decision_loss,
    error_word,
    interval_text,
    percent,
    probability,
)

__all__ = ["choice_view"]

GAINS = [
    column("source", "source", "name"),
    column("call", "call", "zone"),
    column("gain", "gain, %", digits=1),
    column("low", "90% low", digits=1),
    column("high", "90% high", digits=1),
    column("p_gain", "P(gain)", digits=2),
    column("share", "share, %", digits=0),
    column("pooled", "if pooled, %", digits=0),
    column("pooled_low", "90% low, pooled", digits=0),
    column("pooled_high", "90% high, pooled", digits=0),
    column("n_rows", "rows", digits=0),
]
MIX = [column("source", "dataset", "name"), column("share", "share, %", digits=1)]
STABILITY = [
    column("source", "source", "name"),
    column("folds", "draws of the folds, %", digits=0),
    column("sample", "reweighted samples, %", digits=0),
]
WORTH = [
    column("source", "source", "name"),
    column("worth", "worth in rows of the target", digits=0),
    column("n_rows", "rows", digits=0),
]
UNUSABLE = [column("source", "source", "text"), column("why", "why", "text")]


def choice_view(choice: Choice) -> dict[str, Any]:
    """Return the sections of a choice."""
    sections = [_ladder(choice)]
    if choice.choices:
        sections = [
            _gains(choice),
            *_mix(choice),
            *sections,
            _stability(choice),
            *_worth(choice),
        ]
    if choice.unusable:
        rows = [{"source": name, "why": why} for name, why in choice.unusable.items()]
        told = "They were left out before anything was learned."
        sections.append(section("unusable", "Not usable", told, UNUSABLE, rows, table="open"))
    return view(
        "choice",
        f"Sources to use for {choice.target}",
        verdict_of(choice.answer),
        sections,
        tiles=_tiles(choice),
        notes=choice.notes,
        details={each.source: _details(choice, each) for each in choice.choices},
        selects="source" if choice.choices else None,
        provenance=origin(
            choice.provenance,
            **{
                "Label": f"{choice.label} ({choice.task})",
                "Rows of the target": f"{choice.n_rows:,}",
                "Loss of the error": choice.loss,
                "Learners": ", ".join(choice.learners),
                "Fewest sources": _fewest(choice),
            },
        ),
    )


def _fewest(choice: Choice) -> str:
    if not choice.fewest:
        return ""
    return f"{', '.join(choice.fewest)} (enough for nine tenths of what the used ones bring)"


def _tiles(choice: Choice) -> list[dict[str, str]]:
    tiles = [
        {"label": f"expected {error_word(choice)}", "value": amount(choice, choice.error)},
        {"label": "90% interval", "value": interval_text(choice)},
    ]
    if choice.choices:
        tiles.append({"label": "target alone", "value": amount(choice, choice.error_alone)})
        if choice.used:
            gain = f"{percent(choice.gain, signed=True)}%"
            tiles.append({"label": f"gain in {decision_loss(choice)}", "value": gain})
        calls = [each.call for each in choice.choices]
        tiles += [
            {"label": call, "value": str(calls.count(call)), "zone": call}
            for call in CALLS
            if call in calls
        ]
    return [*tiles, {"label": "draws of the folds", "value": str(choice.stability.repeats)}]


def _gains(choice: Choice) -> dict[str, Any]:
    rows: list[dict[str, Any]] = [
        {
            "source": each.source,
            "call": each.call,
            "gain": 100 * each.gain,
            "low": 100 * each.low,
            "high": 100 * each.high,
            "p_gain": each.p_gain,
            "share": 100 * each.share,
            "pooled": 100 * each.pooled,
            "pooled_low": 100 * each.pooled_low,
            "pooled_high": 100 * each.pooled_high,
            "n_rows": each.n_rows,
        }
        for each in choice.choices
    ]
    if choice.used:
        low, high = choice.gain_interval
        rows.append(
            {
                "source": "The choice",
                "gain": 100 * choice.gain,
                "low": 100 * low,
                "high": 100 * high,
                "p_gain": choice.p_gain,
                "share": 100 * sum(each.share for each in choice.choices),
                "summary": True,
            }
        )
    name = decision_loss(choice)
    text = (
        f"By how much the {name} should fall, in percent of the target's own, with its 90% interval. Each "
        f"source stands alone beside the target, and its trial is read together with what such trials "
        f"brought elsewhere: a cautious number. Gains of several sources do not add up. "
        f"{'Diamond: all that is used, read likewise. ' if choice.used else ''}Helps: a gain is likely. "
        f"Harmless: it almost surely costs no more than 2%. Unclear: the rows do not tell. Hurts: one pool "
        f"of its rows and the target's would do harm, and the choice does not use it."
    )
    chart = forest("source", "gain", f"gain: fall of the {name}, %")
    return section("gains", "What each source does", text, GAINS, rows, chart=chart, table="open")


def _mix(choice: Choice) -> list[dict[str, Any]]:
    """Return the section of the shares; none if all of the prediction is the target's."""
    if not choice.used:
        return []
    shares = {each.source: each.share for each in choice.choices if each.share}
    own = max(0.0, 1 - sum(shares.values()))
    rows = [{"source": choice.target, "share": 100 * own}]
    rows += [{"source": name, "share": 100 * share} for name, share in shares.items()]
    text = (
        "How much of the prediction comes from each dataset; the first is the target. A source may be used "
        "while its own call is harmless or unclear: together, sources can bring what none shows alone."
    )
    chart = bars("source", "share", "share of the prediction, %", most=100, digits=0)
    return [section("mix", "The mix", text, MIX, rows, chart=chart)]


def _ladder(choice: Choice) -> dict[str, Any]:
    scale = 100.0 if choice.loss in IN_POINTS else 1.0
    word = error_word(choice) + (", %" if scale > 1 else "")
    low, high = choice.interval
    steps: list[tuple[str, float]] = []
    if choice.choices:
        steps = [("Target alone", choice.error_alone)]
        if choice.error_all is not None:
            steps.append(("Everything pooled", choice.error_all))
    rows: list[dict[str, Any]] = [{"what": what, "error": scale * error} for what, error in steps]
    rows.append(
        {"what": "The choice", "error": scale * choice.error, "low": scale * low, "high": scale * high,
         "summary": True}
    )  # fmt: skip
    digits = 1 if scale > 1 else 4
    columns = [
        column("what", "learned from", "text"),
        column("error", word, digits=digits),
        column("low", "90% low", digits=digits),
        column("high", "90% high", digits=digits),
    ]
    if choice.loss == "squared":
        columns.insert(2, column("root", "root", digits=4))
        for row in rows:
            row["root"] = row["error"] ** 0.5 if row["error"] >= 0 else None
    text = (
        "On rows that no fit and no weight has seen, with the same learners. The error of the choice was "
        "measured with sources chosen from the other folds, and has a 90% interval."
    )
    chart = forest("what", "error", f"{word}: small is good")
    return section("errors", "The error to expect", text, columns, rows, chart=chart, table="open")


def _stability(choice: Choice) -> dict[str, Any]:
    stable = choice.stability
    rows = [
        {
            "source": each.source,
            "folds": 100 * stable.used_by_folds.get(each.source, 0.0),
            "sample": 100 * stable.used_by_sample.get(each.source, 0.0),
        }
        for each in choice.choices
    ]
    low, high = (amount(choice, end) for end in (stable.error_low, stable.error_high))
    same = (
        "The last of them agreed on the sources. "
        if stable.settled
        else "The last of them did not all agree on the sources. "
    )
    text = (
        f"How often each source is used: in {plural(stable.repeats, 'draw')} of the folds, and in targets "
        f"whose rows have other weights, as another sample would. {same if stable.repeats > 1 else ''}A "
        f"single draw would have stated an error of {low} to {high}."
    )
    chart = {"most": 100} | pairs(
        "source",
        "how often it is used, %",
        ("folds", "", "", "draws of the folds"),
        ("sample", "", "", "reweighted samples of the target"),
    )
    return section("stability", "Would chance change it?", text, STABILITY, rows, chart=chart)


def _worth(choice: Choice) -> list[dict[str, Any]]:
    """Return the section of what rows are worth; none where the target's curve does not tell."""
    rows = [
        {"source": each.source, "worth": each.worth_rows, "n_rows": each.n_rows}
        for each in choice.choices
        if each.worth_rows is not None
    ]
    if not rows:
        return []
    points = [f"{point.loss:.4g} with {point.n_rows:,} rows" for point in choice.curve]
    text = (
        f"How many further rows of {shortened(choice.target)} would bring the gain of each source, from the "
        f"target's own learning curve: alone, its {decision_loss(choice)} is {enumerated(points)}. A row of "
        f"a source never counts for more than one of the target's."
    )
    chart = bars("source", "worth", "rows of the target", digits=0)
    return [section("worth", "What the rows are worth", text, WORTH, rows, chart=chart)]


def _details(choice: Choice, each: SourceChoice) -> dict[str, Any]:
    """Return what is shown of a source when it is selected."""
    low, high = (percent(end, signed=True) for end in (each.low, each.high))
    ends = [percent(x, 0, signed=True) for x in (each.pooled, each.pooled_low, each.pooled_high)]
    pooled = f"{ends[0]}%, 90% interval {ends[1]} to {ends[2]}%"
    why = {
        "helps": f"with it beside the target, the {decision_loss(choice)} should fall",
        "harmless": f"it almost surely costs no more than 2% of the {decision_loss(choice)}, and may help",
        "unclear": "the rows of the target do not tell whether it helps",
        "hurts": "one pool of its rows and the target's would do harm",
    }[each.call]
    stable, worth = choice.stability, each.worth_rows
    facts = [
        ["Share of the prediction", f"{percent(each.share)}%" if each.share else "not used"],
        ["Gain", f"{percent(each.gain, 1, signed=True)}%, 90% interval {low} to {high}%"],
        ["Probability of a gain", probability(each.p_gain)],
        # Rows of a source that an earlier choice knew are not there to be pooled.
        *([["If pooled", pooled]] if isfinite(each.pooled) else []),
        ["Worth", "not known" if worth is None else f"{worth:.0f} rows of the target"],
        ["Used by draws of the folds", f"{stable.used_by_folds.get(each.source, 0.0):.0%}"],
        ["Used by reweighted samples", f"{stable.used_by_sample.get(each.source, 0.0):.0%}"],
        ["Rows", f"{each.n_rows:,}"],
    ]
    return {"zone": each.call, "why": why, "facts": facts, "models": [], "notes": []}
