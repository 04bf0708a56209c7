"""What would mend the causes of an explanation: sentences with what each brought, and the options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datakin.results.answer import Remedy
from datakin.results.explanation_words import Above
from datakin.results.words import named, percent, percent_interval, short

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation
    from datakin.results.explanation_parts import Mend

__all__ = ["remedies_of"]

DEEDS = {
    "units": "Convert {column} of {table}",
    "codes": "Recode {column} of {table}",
    "blanks": "Read this value of {column} in {table} as missing",
    "leak": "Leave {column} out of both tables",
    "lacking": "Compare without {column}",
    "untaught": (
        "Use choose: it learns the effect of {column} on rows of the target. Compared without {column}"
    ),
    "classes": "Recode the label of {table}",
    "names": "Rename columns of {table}",
    "base rate": "Draw rows of {table} so that its classes have the target's shares",
    "level": "Move the label of {table} to the target's level",
    "scale": "Put the label of {table} on the target's scale",
    "column": "Leave {column} out of both tables",
}
ADVICE = {
    "base rate": "Use choose: it learns the base rate on rows of the target.",
    "level": "Use choose: it learns the level on rows of the target.",
    "scale": "Use choose: it learns on rows of the target how far to trust each source.",
    "confidence": "Use choose: it learns on rows of the target how far to trust each source.",
    "rule": (
        "Where the rule differs, no option mends the source. Use choose: it tries how much of the source is "
        "of use beside the target's rows."
    ),
    "rest": (
        "Where the form of the rule differs, no option mends the source. Look for another one, or for more "
        "rows of the target."
    ),
    "outside": "Look for a source that has such rows, or use the model only where the source lies.",
    "weighting": (
        "Use a learner that can bend, such as trees, or weight the source's rows to lie where the target's "
        "do."
    ),
}


def remedies_of(found: Explanation) -> list[Remedy]:
    """Return what would mend the causes; first what has an option."""
    made = [mend for mend in found.mends if mend.part and mend.flagged]  # one after the other
    others = [mend for mend in found.mends if mend.part and not mend.flagged]
    others.sort(key=lambda each: -each.fall)
    said = [_remedy(found, mend, mend in made[1:]) for mend in (*made, *others)]
    mended = {mend.part for mend in found.mends}
    mended |= {"level"} if "scale" in mended else set()
    for cause in found.causes:
        if cause == "features" and found.shift is not None:
            cause = found.shift.explains
        if cause in ADVICE and cause not in mended:
            said.append(Remedy(ADVICE[cause]))
    if Remedy(ADVICE["rule"]) in said:  # which says it of all
        said = [each for each in said if each.text not in (ADVICE["scale"], ADVICE["confidence"])]
    return said


def _remedy(found: Explanation, mend: Mend, is_next: bool) -> Remedy:
    """Return what a mend brings; of one that was made after others, beside these."""
    above = Above.of(found)
    columns = named(mend.columns, noun="columns") if mend.columns else ""
    way = "untaught" if (mend.cause, mend.table) == ("lacking", found.source) else mend.cause
    deed = DEEDS.get(way, "Mend {table}").format(column=columns, table=short(mend.table))
    if is_next:
        deed = f"Then {deed[0].lower()}{deed[1:]}"
    if not above.base:
        return Remedy(f"{deed}.", mend.python, mend.typed)
    change = f"goes from {percent(above.share(mend.before))}% to {percent(above.left(mend))}%"
    costs = above.costs(mend)
    if costs:  # no share of both losses can be told of the fall
        more = f". But the target alone then loses {percent(costs)}% more."
    else:
        ends = percent_interval(above.share(mend.low), above.share(mend.high))
        more = f" (90% interval of the fall {ends})."
    return Remedy(f"{deed}: the excess of the loss {change}{more}", mend.python, mend.typed)
