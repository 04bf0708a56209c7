"""An answer in a notebook: the sentences, a picture of the intervals, the table; no scripts."""

from __future__ import annotations

import html
from collections.abc import Iterable

from datakin.results.answer import Answer, AnswerTable, Axis, Row
from datakin.results.record import plain
from datakin.results.words import COLOURS

WIDTH, GUTTER, SIDE, LINE = 640, 190, 150, 22  # pixels
MOST = 30  # rows in the picture
LONGEST = 28  # characters of a name in the picture
TONES = {"good": "#009E73", "plain": "#56B4E9", "open": "#E69F00", "bad": "#D55E00"}
CARD = "border-left:4px solid {ink};padding:.2em 1em;max-width:46em;line-height:1.4"


def answer_html(answer: Answer) -> str:
    """Return an answer as HTML; all text of the user is escaped."""
    ink = TONES.get(answer.tone, TONES["plain"])
    parts = [
        f'<div style="{CARD.format(ink=ink)}">',
        f"<p><strong>{html.escape(answer.headline)}</strong></p>",
        *(f"<p>{html.escape(text)}</p>" for text in answer.evidence),
    ]
    if answer.table is not None:
        parts += [forest_svg(answer.table), _table(answer.table)]
    if answer.legend:
        parts.append(f"<p><small>{html.escape(' '.join(answer.legend))}</small></p>")
    parts += _listed("Why", answer.reasons)
    parts += _mended(answer)
    if answer.second is not None:
        parts.append(_table(answer.second))
    parts += _listed("What to know", answer.caveats)
    parts += _listed("What was done to the data", answer.notes)
    return "\n".join([*filter(None, parts), "</div>"])


def _listed(title: str, texts: Iterable[str]) -> list[str]:
    found = [f"<li>{html.escape(text)}</li>" for text in texts]
    if not found:
        return []
    return [f"<details><summary>{title}</summary><ul>{''.join(found)}</ul></details>"]


def _mended(answer: Answer) -> list[str]:
    """Return what would mend it, each with the option that does it."""
    found = []
    for each in answer.remedies:
        option = answer.option(each)
        code = f"<br><code>{html.escape(option)}</code>" if option else ""
        found.append(f"<li>{html.escape(each.text)}{code}</li>")
    return [f"<p>What would mend it</p><ul>{''.join(found)}</ul>"] if found else []


def _table(table: AnswerTable) -> str:
    """Return the table without the drawn intervals, which are in the picture."""
    kept = [k for k, title in enumerate(table.columns) if not table.bar_of or title != "interval"]
    heads = "".join(f"<th>{html.escape(plain(table.columns[k]))}</th>" for k in kept)
    rows = "".join(
        "<tr>" + "".join(_cell(table, row, k) for k in kept) + "</tr>" for row in table.rows
    )
    caption = f"<p>{html.escape(table.caption)}</p>" if table.caption else ""
    return f"{caption}<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(table: AnswerTable, row: Row, k: int) -> str:
    style = ' style="text-align:right"' if table.columns[k] in table.right else ""
    return f"<td{style}>{html.escape(plain(row.cells[k]))}</td>"


def forest_svg(table: AnswerTable) -> str:
    """Return a picture of numbers with their intervals, coloured by call; nothing if there are none."""
    rows = [row for row in table.rows[:MOST] if row.bar is not None and row.bar.is_known]
    if not table.bar_of or not rows:
        return ""
    axis, bottom, about = table.axis, LINE * len(rows), html.escape(table.bar_of)
    names = 2 if table.columns[:2] in (("target", "source"), ("learned on", "tested on")) else 1
    x = f"{_place(0.0, axis):.1f}"
    zero = (
        f'<line x1="{x}" x2="{x}" y1="0" y2="{bottom}" stroke="currentColor" stroke-opacity="0.4"/>'
    )
    drawn = [_drawn(row, axis, LINE * k + LINE / 2, names) for k, row in enumerate(rows)]
    low, high = html.escape(axis.text(axis.low)), html.escape(axis.text(axis.high))
    places = (
        (f'x="{GUTTER}" y="{bottom + 16}"', low),
        (f'x="{WIDTH - SIDE}" y="{bottom + 16}" text-anchor="end"', high),
        (f'x="{(GUTTER + WIDTH - SIDE) / 2}" y="{bottom + 16}" text-anchor="middle"', about),
    )
    ends = [f'<text {where} fill-opacity="0.7">{text}</text>' for where, text in places]
    return (
        f'<svg width="{WIDTH}" height="{bottom + 24}" viewBox="0 0 {WIDTH} {bottom + 24}" role="img" '
        f'style="max-width:100%" aria-label="{about}" font-size="12" font-family="sans-serif" '
        f'fill="currentColor">{"".join([zero, *drawn, *ends])}</svg>'
    )


def _place(value: float, axis: Axis) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return GUTTER + (WIDTH - GUTTER - SIDE) * min(max(share, 0.0), 1.0)


def _drawn(row: Row, axis: Axis, y: float, names: int) -> str:
    bar = row.bar
    if bar is None:
        return ""
    ink = COLOURS.get(row.call, "#777777")
    name = " - ".join(plain(cell) for cell in row.cells[:names])
    name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    low, high, value = (_place(each, axis) for each in (bar.low, bar.high, bar.value))
    if axis.low <= bar.value <= axis.high:
        mark = f'<circle cx="{value:.1f}" cy="{y}" r="4.5" fill="{ink}"/>'
    else:  # an arrow to where it lies, beyond the end of the axis
        tip = -9 if bar.value < axis.low else 9
        mark = f'<path d="M{value:.1f} {y - 5}v10l{tip} -5z" fill="{ink}"/>'
    words = " ".join(filter(None, [row.cells[2] if row.call else "", row.call]))
    return (
        f'<text x="{GUTTER - 8}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="{ink}" stroke-width="2"/>{mark}'
        f'<text x="{WIDTH - SIDE + 10}" y="{y + 4}">{html.escape(words)}</text>'
    )
