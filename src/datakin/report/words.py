"""What a report says: numbers and names in sentences, zones in words, the answer at the top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from datakin.results import Comparison, Forecast, Ranking
from datakin.results.zones import Zone

__all__ = [
    "CALLS",
    "CALLS_IN_WORDS",
    "ZONES",
    "amount",
    "comparison_verdict",
    "enumerated",
    "error_text",
    "forecast_verdict",
    "percent",
    "plural",
    "points",
    "ranking_verdict",
    "shortened",
    "used_sources",
    "verdict",
]

# Invisible characters that change the direction of the text around them.
TURNS = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
LONGEST = 48  # characters of a name in a sentence; charts and tables show all of it
LEAST = 0.05  # sources with a lower row weight are left out
ZONES = ("positive", "ambiguous", "negative")  # of the paper
CALLS = tuple(zone.call for zone in Zone)
CALLS_IN_WORDS = (
    "Helps: a gain is likely. Harmless: it almost surely costs no more than 2%. Unclear: the rows do not "
    "tell. Hurts: one pool of its rows and the target's would do harm."
)


def shortened(name: str) -> str:
    r"""Return a name on one line, shortened in the middle if it is long.

    Examples
    --------
    >>> shortened("two\nlines")
    'two lines'
    >>> len(shortened("x" * 300))
    48
    >>> shortened("\u202etxt")
    '\\u202etxt'
    """
    line = " ".join(name.split()).translate(TURNS)
    if len(line) <= LONGEST:
        return line
    half = (LONGEST - 1) // 2
    return f"{line[: LONGEST - 1 - half]}…{line[-half:]}"


def enumerated(items: Iterable[str], limit: int = 6) -> str:
    """Return items as a list in a sentence.

    Examples
    --------
    >>> enumerated(["a", "b", "c"])
    'a, b and c'
    >>> enumerated("abcd", limit=2)
    'a, b and 2 more'
    """
    found: Sequence[str] = list(items)
    if len(found) > limit:
        return f"{', '.join(found[:limit])} and {len(found) - limit} more"
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} and {found[-1]}"


def plural(n: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "source"), plural(2, "source"), plural(2, "family", "families")
    ('1 source', '2 sources', '2 families')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {nouns or noun + 's'}"


def error_text(error: float, in_points: bool) -> str:
    """Return an error as a percentage, or as a plain number if it is not a share of rows."""
    return f"{100 * error:.1f}%" if in_points else f"{error:.4g}"


def points(gain: float, in_points: bool) -> str:
    """Return the size of a gain, without its sign."""
    size = abs(gain)
    if not in_points:
        return f"{size:.4g}"
    text = f"{100 * size:.{1 if size >= 0.001 else 2}f}"
    return f"{text} point{'' if text == '1.0' else 's'}"


def percent(share: float) -> str:
    """Return a share with its sign, in percent.

    Examples
    --------
    >>> percent(0.0271)
    '+2.7%'
    """
    return f"{'+' if share >= 0 else chr(8722)}{abs(share):.1%}"


def amount(gain: float, in_points: bool) -> str:
    """Return a gain with its sign, in points if it is a share of rows."""
    sign = "+" if gain >= 0 else "\N{MINUS SIGN}"
    return f"{sign}{100 * abs(gain):.1f}" if in_points else f"{sign}{abs(gain):.4g}"


def verdict(tone: str, head: str, *lines: str) -> dict[str, Any]:
    """Return a verdict; tone is "good", "open", "bad" or "plain"."""
    return {"tone": tone, "head": head, "lines": [line for line in lines if line]}


def used_sources(forecast: Forecast) -> list[str]:
    """Return the sources worth using, largest weight first."""
    weights = forecast.weights
    return sorted((s for s in weights if weights[s] >= LEAST), key=lambda s: (-weights[s], s))


def ranking_verdict(ranking: Ranking) -> dict[str, Any]:
    """Say which sources help, and by how much the loss should fall."""
    if ranking.is_tried:
        return _tried_verdict(ranking)
    if ranking.forecast is None:
        return verdict("plain", f"Best source: {shortened(ranking.best.source)}", ranking.caution)
    return forecast_verdict(ranking.forecast, len(ranking), ranking.caution)


def _tried_verdict(ranking: Ranking) -> dict[str, Any]:
    """Say what the trials of the sources mean."""
    named: dict[str, list[str]] = {call: [] for call in CALLS}
    for c in ranking:
        named[c.call].append(shortened(c.source))
    target, helpful, n = shortened(ranking.target), named["helps"], len(ranking)
    tone = "good" if helpful else "bad" if len(named["hurts"]) == n else "open"
    if helpful:
        verb = "helps" if len(helpful) == 1 else "help"
        head = f"{len(helpful)} of {plural(n, 'source')} {verb}: {enumerated(helpful)}"
    elif tone == "bad":
        head = "Every source hurts" if n > 1 else "The source hurts"
    else:
        head = f"No source is sure to help {target}" if n > 1 else "The source is not sure to help"
    tried = [
        c.trial for c in ranking if c.trial is not None and (c.call == "helps") == bool(helpful)
    ]
    lines = []
    if tried and tone != "bad":
        most = max(tried, key=lambda trial: trial.gain)
        lines.append(
            f"Most is expected of {shortened(most.source)}: with it the loss of {target} should "
            f"{'fall' if most.gain >= 0 else 'rise'} by {abs(most.gain):.1%} of its own (90% interval "
            f"{percent(most.low)} to {percent(most.high)}; the largest of several looks better than it is)."
            if len(tried) > 1
            else f"With {shortened(most.source)} the loss of {target} should "
            f"{'fall' if most.gain >= 0 else 'rise'} by {abs(most.gain):.1%} of its own (90% interval "
            f"{percent(most.low)} to {percent(most.high)})."
        )
    said = {
        "harmless": "Harmless, with next to no cost: {}.",
        "unclear": "Unclear from these data: {}.",
        "hurts": "Hurts when pooled: {}.",
    }
    for call, text in said.items():
        if named[call]:
            lines.append(text.format(enumerated(named[call])))
    return verdict(tone, head, *lines, ranking.caution)


def forecast_verdict(forecast: Forecast, n: int, caution: str = "") -> dict[str, Any]:
    """Say what a forecast means for using the sources, and how certain it is."""
    best, used = forecast.best, used_sources(forecast)
    in_points, target = forecast.unit == "share of rows", shortened(forecast.target)
    own = error_text(forecast.error, in_points)
    if best.value <= 0 or not used or best.high90 < 0:
        head, them = (
            ("Use none of the sources", "them") if n > 1 else ("Do not use the source", "it")
        )
        return verdict(
            "bad",
            head,
            f"By the gain formula, even with the best weights learning from {them} is not expected to cut "
            f"the error of {target} ({own}).",
            _interval(forecast),
            "A small gain is not ruled out." if best.high90 > 0 and used else "",
            _unweighted(forecast, n) if forecast.pooled.value < 0 else "",
            caution,
        )
    names = enumerated([shortened(name) for name in used])
    clear = best.low90 > 0
    after = error_text(max(forecast.error - best.value, 0.0), in_points)
    what = f"{len(used)} of {plural(n, 'source')}" if n > 1 else "the source"
    if clear:
        head = f"Use {what}: {names}"
    else:
        head = f"{what[0].upper()}{what[1:]} may help: {names}"
    weights = enumerated([f"{shortened(name)} {forecast.weights[name]:.2f}" for name in used], 6)
    open_question = (
        ""
        if clear
        else "The data do not settle whether this is a gain; more rows of the target would help."
    )
    return verdict(
        "good" if clear else "open",
        head,
        f"By the gain formula, with row weights {weights} this should cut the error of {target} from {own} "
        f"to {after}.",
        _interval(forecast),
        open_question,
        _unweighted(forecast, n),
        caution,
    )


def _interval(forecast: Forecast) -> str:
    best, in_points = forecast.best, forecast.unit == "share of rows"
    unit = " points" if in_points else ""
    return (
        f"95% interval of that gain: {amount(best.low, in_points)} to {amount(best.high, in_points)}{unit}; "
        f"probability of a gain {best.probability:.0%}."
    )


def _unweighted(forecast: Forecast, n: int) -> str:
    pooled, in_points = forecast.pooled, forecast.unit == "share of rows"
    change = "cut" if pooled.value >= 0 else "raise"
    what = f"all {n} sources" if n > 1 else "the source"
    return (
        f"Pooling {what}, every row counting the same, should {change} the error by "
        f"{points(pooled.value, in_points)} (probability of a gain {pooled.probability:.0%})."
    )


def comparison_verdict(comparison: Comparison) -> dict[str, Any]:
    """Say whether a source is kin, with the score and the reason."""
    tone, head = comparison.decision.headline
    names = {"source": shortened(comparison.source), "target": shortened(comparison.target)}
    low, high = comparison.interval
    score = f"Score {comparison.score:.4f}, 95% interval {low:.4f} to {high:.4f}; 0 means kin."
    return verdict(tone, head.format(**names), score, f"Why: {comparison.reason}.")
