"""A choice in a notebook: the sentences, a small picture of the gains, and the table; no scripts."""

from __future__ import annotations

import html
from math import isfinite
from typing import TYPE_CHECKING

from datakin.results.choice_text import (
    COLOURS,
    evidence_of,
    headline_of,
    legend_of,
    percent,
    remarks_of,
    shown_table,
)
from datakin.results.record import plain

if TYPE_CHECKING:
    from datakin.results.choice import Choice, SourceChoice

__all__ = ["html_of"]

WIDTH, GUTTER, ROW = 560, 170, 22  # pixels
MOST = 30  # sources in the picture
LONGEST = 24  # characters of a name in the picture


def html_of(choice: Choice) -> str:
    """Return a choice as HTML; all text of the user is escaped."""
    parts = [f"<p><strong>{html.escape(headline_of(choice))}</strong></p>"]
    parts += [f"<p>{html.escape(line)}</p>" for line in evidence_of(choice)]
    if choice.choices:
        parts.append(_forest(choice.choices[:MOST]))
        parts.append(shown_table(choice).to_html(index=False, escape=True))
        parts.append(f"<p><small>{html.escape(legend_of(choice))}</small></p>")
    parts += [f"<p><small>{html.escape(line)}</small></p>" for line in remarks_of(choice)]
    return "\n".join(parts)


def _forest(choices: tuple[SourceChoice, ...]) -> str:
    """Return a picture of the gains with their intervals, coloured by call."""
    ends = [end for c in choices for end in (c.low, c.gain, c.high) if isfinite(end)]
    low, high = min(0.0, *ends, 0.0), max(0.01, *ends, 0.01)
    room = WIDTH - GUTTER - 90

    def x(value: float) -> float:
        return GUTTER + room * (value / high - low / high) / (1 - low / high)

    bottom = ROW * len(choices)
    drawn = [
        f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="{bottom}" stroke="currentColor" '
        f'stroke-opacity="0.4"/>'
    ]
    for k, each in enumerate(choices):
        y, ink = ROW * k + ROW / 2, COLOURS[each.call]
        name = plain(each.source)
        name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        drawn.append(
            f'<text x="{GUTTER - 8}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>'
        )
        if all(map(isfinite, (each.low, each.gain, each.high))):
            drawn.append(
                f'<line x1="{x(each.low):.1f}" x2="{x(each.high):.1f}" y1="{y}" y2="{y}" stroke="{ink}" '
                f'stroke-width="2"/><circle cx="{x(each.gain):.1f}" cy="{y}" r="4.5" fill="{ink}"/>'
            )
        drawn.append(f'<text x="{WIDTH - 80}" y="{y + 4}" fill="{ink}">{each.call}</text>')
    reach = f"{percent(low)} to {percent(high)}%"
    drawn.append(
        f'<text x="{GUTTER}" y="{bottom + 16}" fill-opacity="0.7">gain, {reach}; line: 90% interval</text>'
    )
    return (
        f'<svg width="{WIDTH}" height="{bottom + 24}" role="img" aria-label="Gain of each source" '
        f'font-size="12" font-family="sans-serif" fill="currentColor">{"".join(drawn)}</svg>'
    )
