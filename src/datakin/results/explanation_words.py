"""Parts of a ladder in words and in percent, the same in reports and pictures; what would mend them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datakin.results.answer import Remedy
from datakin.results.words import error_word, named, percent, percent_interval, short

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation
    from datakin.results.explanation_parts import Mend

LEAST = 0.01  # by how much more the target alone must lose without a column for it to be said
MEANING = {
    "coding": "values are written otherwise, or missing",
    "base rate": "classes have other shares than the source expects",
    "confidence": "probabilities are too extreme or too cautious",
    "level": "the label is higher or lower on average",
    "scale": "predicted differences are too large or too small",
    "rule": "columns have other effects",
    "rest": "what only a predictor of the target's own mends",
}
LEARNERS = {
    "linear": "lines (penalised regression)",
    "trees": "boosted trees",
    "kernel": "a kernel regression",
}
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


def learner_words(found: Explanation) -> str:
    """Return what predicts, in words."""
    return LEARNERS.get(found.learner, short(found.learner))


def effect_words(found: Explanation) -> str:
    """Return where effects of columns come from."""
    is_trees = found.learner == "trees"
    return "boosted trees (partial dependence)" if is_trees else "a penalised linear model"


def effect_on(found: Explanation) -> str:
    """Return what effects of columns are on."""
    if found.task == "regression":
        return "on the label"
    is_one = found.task == "binary"
    return f"on the logit of {short(found.positive)!r}" if is_one else "on the logit"


def first_part(found: Explanation) -> str:
    """Return what the first step of the ladder gives the predictor."""
    return "level" if found.task == "regression" else "base rate"


def loss_word(found: Explanation) -> str:
    """Return what the loss is called: not its root, which is not what parts add up to."""
    return "squared error" if found.loss == "squared" else error_word(found.loss)


@dataclass(frozen=True)
class Above:
    """Losses as a share of the loss of the target alone; in units of the loss where that is 0.

    Attributes
    ----------
    base : float
        The loss of the target alone; 0 if it tells nothing.
    """

    base: float

    @classmethod
    def of(cls, found: Explanation) -> Above:
        """Return the scale of an explanation."""
        alone = found.loss_alone
        return cls(alone if alone > 0 else 0.0)

    @property
    def unit(self) -> str:
        """What stands behind a number: a sign for percent, or nothing."""
        return "%" if self.base else ""

    def shown(self, value: float) -> float:
        """Return a loss as it is drawn: in percent, or as it is."""
        return 100 * value / self.base if self.base else value

    def numbers(self, **values: float) -> dict[str, float]:
        """Return losses as they are drawn, by their names."""
        return {name: self.shown(value) for name, value in values.items()}

    def share(self, value: float) -> float:
        """Return a loss as a share of the loss of the target alone; 0 where that is 0."""
        return value / self.base if self.base else 0.0

    def costs(self, mend: Mend) -> float:
        """Return by what share of its loss the target alone loses more without a column; else 0."""
        more = self.share(mend.alone) - 1 if self.base else 0.0
        return more if mend.cause == "column" and more > LEAST else 0.0

    def left(self, mend: Mend) -> float:
        """Return the excess once mended, as a share of what the target alone loses then."""
        return self.share(mend.after) / (1 + self.costs(mend))

    def titled(self, label: str) -> str:
        """Return the title of a column of such numbers."""
        return f"{label}, %" if self.base else label

    def text(self, value: float) -> str:
        """Return a loss in words, with its sign."""
        sign = "+" if value > 0 else ""
        return f"{sign}{percent(value / self.base)}%" if self.base else f"{sign}{value:.3g}"


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
        more = f". But the target's own predictor then loses {percent(costs)}% more."
    else:
        ends = percent_interval(above.share(mend.low), above.share(mend.high))
        more = f" (90% interval of the fall {ends})."
    return Remedy(f"{deed}: the excess of the loss {change}{more}", mend.python, mend.typed)
