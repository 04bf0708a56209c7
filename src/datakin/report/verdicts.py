"""The answer in words, at the top of a report."""

from __future__ import annotations

from typing import Any

from datakin.report.words import amount, enumerated, error_text, plural, points, shortened
from datakin.results import Comparison, Forecast, Ranking
from datakin.results.zones import Zone

__all__ = ["comparison_verdict", "forecast_verdict", "ranking_verdict", "used_sources"]

LEAST = 0.05  # a source whose rows should count less is left out


def verdict(tone: str, head: str, *lines: str) -> dict[str, Any]:
    """Return a verdict; tone is "good", "open", "bad" or "plain"."""
    return {"tone": tone, "head": head, "lines": [line for line in lines if line]}


def used_sources(forecast: Forecast) -> list[str]:
    """Return the sources worth using, by falling weight."""
    weights = forecast.weights
    return sorted((s for s in weights if weights[s] >= LEAST), key=lambda s: (-weights[s], s))


def ranking_verdict(ranking: Ranking) -> dict[str, Any]:
    """Say which sources to use, and what that should bring."""
    forecast, n = ranking.forecast, len(ranking)
    if forecast is None:
        return verdict("plain", f"Best source: {shortened(ranking.best.source)}", ranking.caution)
    found = forecast_verdict(forecast, n, ranking.caution)
    sure = {
        c.source: (c.gain, c.outlook)
        for c in ranking
        if c.decision.rule == "gain" and c.zone is Zone.POSITIVE and c.gain and c.outlook
    }
    if found["tone"] == "good" or not sure:
        return found
    # Single sources are surer than all of them weighed together: pools of each were tried.
    in_points = forecast.unit == "share of rows"
    first = max(sure, key=lambda name: sure[name][0].value)
    gain, outlook = sure[first]
    own, after = (error_text(max(outlook.error - x, 0.0), in_points) for x in (0.0, gain.value))
    what = f"{len(sure)} of {plural(n, 'source')}" if n > 1 else "the source"
    # Weights for all of them come from the formula: of use where it expects more than one source brings.
    is_more = found["tone"] == "open" and forecast.best.value > gain.value
    together = found["lines"][:2] if is_more else []
    return verdict(
        "good",
        f"Use {what}: {enumerated([shortened(name) for name in sure])}",
        f"Pooled with {shortened(first)}, every row counting the same, the error of "
        f"{shortened(ranking.target)} should fall from {own} to {after} (probability of a gain "
        f"{gain.probability:.0%}).",
        *together,
        _plain(forecast, n),
        ranking.caution,
    )


def forecast_verdict(forecast: Forecast, n: int, caution: str = "") -> dict[str, Any]:
    """Say what a forecast comes to, honest about what is open."""
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
            f"Even with the best weights, learning from {them} is not expected to cut the error of {target} "
            f"({own}).",
            _interval(forecast),
            "A small gain is not ruled out." if best.high90 > 0 and used else "",
            _plain(forecast, n),
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
        "" if clear else "The data do not settle whether this is a gain: more target rows would."
    )
    return verdict(
        "good" if clear else "open",
        head,
        f"With row weights {weights} this should cut the error of {target} from {own} to {after}.",
        _interval(forecast),
        open_question,
        _plain(forecast, n),
        caution,
    )


def _interval(forecast: Forecast) -> str:
    best, in_points = forecast.best, forecast.unit == "share of rows"
    unit = " points" if in_points else ""
    return (
        f"95% interval of that gain: {amount(best.low, in_points)} to {amount(best.high, in_points)}{unit}; "
        f"probability of a gain {best.probability:.0%}."
    )


def _plain(forecast: Forecast, n: int) -> str:
    pooled, in_points = forecast.pooled, forecast.unit == "share of rows"
    change = "cut" if pooled.value >= 0 else "raise"
    what = f"all {n} sources" if n > 1 else "the source"
    return (
        f"Plainly pooling {what}, every row alike, should {change} it by {points(pooled.value, in_points)} "
        f"(probability of a gain {pooled.probability:.0%})."
    )


BY_GAIN = {
    Zone.POSITIVE: ("good", "Use it: learning from {source} should help {target}"),
    Zone.AMBIGUOUS: ("open", "Open: learning from {source} may or may not help {target}"),
    Zone.NEGATIVE: ("bad", "Leave it: learning from {source} would harm {target}"),
}
BY_PAPER = {
    Zone.POSITIVE: ("good", "Kin: what is learned on {source} holds on {target}"),
    Zone.AMBIGUOUS: ("open", "Perhaps kin: {source} may or may not help {target}"),
    Zone.NEGATIVE: ("bad", "Not kin: learning from {source} would harm {target}"),
}


def comparison_verdict(comparison: Comparison) -> dict[str, Any]:
    """Say whether a source is kin, how sure that is, and why."""
    heads = BY_GAIN if comparison.decision.rule == "gain" else BY_PAPER
    tone, head = heads[comparison.zone]
    names = {"source": shortened(comparison.source), "target": shortened(comparison.target)}
    low, high = comparison.interval
    score = f"Score {comparison.score:.4f}, 95% interval {low:.4f} to {high:.4f}; 0 is kin."
    return verdict(tone, head.format(**names), score, f"Why: {comparison.reason}.")
