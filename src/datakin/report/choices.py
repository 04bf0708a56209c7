"""The report of a choice: what to use, what error to expect, and how sure that is."""

from __future__ import annotations

from math import isfinite
from typing import Any

from datakin._core.exceptions import counted
from datakin.report import effects
from datakin.report.explained import ladder_of, why_sources
from datakin.report.rows_slider import rows_section
from datakin.report.sections import column, counts, forest, interval, origin, pairs, section, view
from datakin.results import Choice, SourceChoice, words
from datakin.results.call_words import explained, reason_of
from datakin.results.choice_answer import worth_of

MIX = [column("source", "dataset", "name"), column("share", "share, %", digits=1)]
STABILITY = [
    column("source", "source", "name"),
    *counts(folds="repeats, %", sample="resampled targets, %"),
]
UNUSABLE = [column("source", "source", "name"), column("why", "why", "text")]
CARD = [column("what", "what", "text"), column("value", "of this model", "text")]


def choice_view(choice: Choice) -> dict[str, Any]:
    """Return the sections of a choice."""
    sections = [_ladder(choice), *effects.choice_measures(choice), rows_section(choice)]
    if choice.choices:
        why = why_sources(choice.explanations)
        sections = [_gains(choice), *_mix(choice), *why, *sections, _stability(choice)]
    sections.append(_card(choice))
    if choice.unusable:
        rows = [{"source": name, "why": why} for name, why in choice.unusable.items()]
        told = "They were left out before anything was learned."
        sections.append(section("unusable", "Not usable", told, UNUSABLE, rows))
    return view(
        "choice",
        f"Sources to use for {choice.target}",
        choice,
        sections,
        tiles=_tiles(choice),
        details={each.source: _details(choice, each) for each in choice.choices},
        selects="source" if choice.choices else None,
        provenance=origin(choice.provenance),
    )


def _tiles(choice: Choice) -> list[dict[str, str]]:
    word, ends = words.error_word(choice.loss), words.interval_amount(choice.loss, *choice.interval)
    tiles = [
        {"label": f"expected {word}", "value": words.amount(choice.loss, choice.error)},
        {"label": "90% interval", "value": ends},
    ]
    if choice.choices:
        alone = words.amount(choice.loss, choice.error_alone)
        tiles.append({"label": "target alone", "value": alone})
        if choice.used:
            gain = words.signed(choice.gain)
            tiles.append({"label": f"gain in {words.gain_loss(choice.task)}", "value": gain})
        calls = [each.call for each in choice.choices]
        tiles += [
            {"label": call, "value": str(calls.count(call)), "zone": call}
            for call in words.CALLS
            if call in calls
        ]
    return tiles


def _gains(choice: Choice) -> dict[str, Any]:
    unit, name = effects.unit_of_gain(choice.task), words.gain_loss(choice.task)
    rows: list[dict[str, Any]] = [
        {
            "source": each.source,
            "call": each.call,
            **effects.effect_row(
                each.gain, (each.low, each.high), each.p_gain, choice.loss_alone, unit
            ),
            "share": 100 * each.share,
            **effects.pooled_row(each, each.call),
            "worth": worth_of(each),
            "n_rows": each.n_rows,
        }
        for each in choice.choices
    ]
    if choice.used:
        ends = choice.gain_interval
        whole = effects.effect_row(choice.gain, ends, choice.p_gain, choice.loss_alone, unit)
        share = 100 * sum(each.share for each in choice.choices)
        rows.append({"source": "The choice", **whole, "share": share, "summary": True})
    text = " ".join([*choice.answer.legend, "Gains of several sources do not add up."])
    shares, worth = counts(share="share, %"), counts(worth="worth, rows")
    found = effects.effect_section(choice.target, (name, unit), rows, text, shares, worth)
    if choice.used:
        found["chart"]["summary_label"] = "all that is used, together"
    return found


def _mix(choice: Choice) -> list[dict[str, Any]]:
    """Return the section of the shares; none if all of the prediction is the target's."""
    if not choice.used:
        return []
    shares = {each.source: each.share for each in choice.choices if each.share}
    own = max(0.0, 1 - sum(shares.values()))
    rows = [{"source": choice.target, "share": 100 * own}]
    rows += [{"source": name, "share": 100 * share} for name, share in shares.items()]
    text = (
        "How much of the prediction comes from each dataset. A source may be used although its own call is "
        "harmless or unclear: together, sources can bring what none of them shows alone."
    )
    chart = {"type": "stack", "name": "source", "value": "share"}
    return [section("mix", "The mix", text, MIX, rows, chart)]


def _ladder(choice: Choice) -> dict[str, Any]:
    unit, word = effects.Unit(choice.loss), words.error_word(choice.loss)
    low, high = choice.interval
    steps = (
        ("Target alone", choice.error_alone),
        ("Best single source", choice.error_best),
        ("Everything pooled", choice.error_all),
    )
    rows: list[dict[str, Any]] = [
        {"what": what, **unit.values("error", error)}
        for what, error in steps
        if choice.choices and error is not None
    ]
    ends = {**unit.values("low", low), **unit.values("high", high)}
    rows.append(
        {"what": "The choice", **unit.values("error", choice.error), **ends, "summary": True}
    )
    columns = [
        column("what", "learned from", "text"),
        *unit.columns("error", "error" if unit.has_root else word),
        interval(unit.drawn("low"), unit.drawn("high"), unit.named("90% interval"), unit.digits),
    ]
    text = (
        "Measured on rows that no fit and no weight has seen, with the same learners. The error of the "
        "choice was measured with sources chosen from the other folds, and has a 90% interval. The best "
        "single source was picked in the same way."
    )
    axis = f"{unit.named(word)}. Left is better. Line: 90% interval."
    ends_drawn = {"low": unit.drawn("low"), "high": unit.drawn("high")}
    chart = forest("what", unit.drawn("error"), axis) | ends_drawn
    return section("errors", "The error to expect", text, columns, rows, chart, short="Errors")


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
    low, high = (words.amount(choice.loss, end) for end in (stable.error_low, stable.error_high))
    same = (
        f"The last of them {'agreed' if stable.settled else 'did not all agree'} on the sources. "
    )
    text = (
        f"How often each source is used: in {counted(stable.repeats, 'repeat')}, with rows split anew, and "
        f"in resampled versions of the target. {same if stable.repeats > 1 else ''}A single repeat would "
        f"have stated an error of {low} to {high}."
    )
    chart = {"most": 100} | pairs(
        "source",
        "how often it is used, %",
        ("folds", "", "", "repeats"),
        ("sample", "", "", "resampled versions of the target"),
    )
    title = "Would chance change it?"
    return section(
        "stability", title, text, STABILITY, rows, chart, table="closed", short="Stability"
    )


def _card(choice: Choice) -> dict[str, Any]:
    """Return the section that says what the model was learned from."""
    rows = {each.source: each.n_rows for each in choice.choices}
    used = [f"{name} ({rows[name]:,} rows)" for name in choice.used]
    options, versions = choice.provenance.options, choice.provenance.versions
    facts = {
        "Predicts": f"{choice.label} ({choice.task})",
        "Target": f"{choice.target} ({choice.n_rows:,} rows)",
        "Sources used": ", ".join(used) or "none",
        "Learners": ", ".join(choice.learners),
        f"Expected {words.error_word(choice.loss)}": (
            f"{words.amount(choice.loss, choice.error)}, 90% interval "
            f"{words.interval_amount(choice.loss, *choice.interval)}"
        ),
        "Repeats": str(choice.stability.repeats),
        "Rows a learner is cut to": f"{options['max_rows']:,}" if "max_rows" in options else "",
        "Seed": str(choice.provenance.seed),
        "Made with": ", ".join(f"{name} {text}" for name, text in list(versions.items())[:2]),
    }
    found = [{"what": what, "value": value} for what, value in facts.items() if value]
    text = "What the model was learned from, and what to expect of it."
    return section("card", "The model", text, CARD, found)


def _worth(each: SourceChoice) -> str:
    worth = worth_of(each)
    if worth is None:
        return "not known" if each.worth_rows is None else "nothing, without a gain"
    return f"{worth:.0f} rows of the target"


def _details(choice: Choice, each: SourceChoice) -> dict[str, Any]:
    """Return what is shown of a source when it is selected."""
    stable = choice.stability
    resampled = stable.used_by_sample.get(each.source, 0.0)
    pooled = []
    if isfinite(each.pooled):  # rows of a source that an earlier choice knew are not there
        ends = words.percent_interval(each.pooled_low, each.pooled_high)
        pooled = [["If pooled", f"{words.signed(each.pooled, 0)}, 90% interval {ends}"]]
    facts = [
        [
            "Gain",
            f"{words.signed(each.gain)}, 90% interval {words.percent_interval(each.low, each.high)}",
        ],
        effects.meaning_of(each.gain, choice.loss_alone, effects.unit_of_gain(choice.task)),
        ["Probability of a gain", words.probability(each.p_gain)],
        *pooled,
        ["Share of the prediction", f"{words.percent(each.share)}%" if each.share else "not used"],
        ["Worth", _worth(each)],
        ["Used in repeats", f"{stable.used_by_folds.get(each.source, 0.0):.0%}"],
        ["Used in resampled versions of the target", f"{resampled:.0%}"],
        ["Rows", f"{each.n_rows:,}"],
    ]
    reason = reason_of(each, each.call, choice.target)
    why = explained(reason, choice.explanations, each.source)
    found = {"zone": each.call, "why": why, "facts": facts, "models": [], "notes": []}
    return {**found, "ladder": ladder_of(choice.explanations, each.source)}
