"""Parts of a ladder in words and in percent, the same in reports and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datakin.results.words import error_word, percent, short

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation
    from datakin.results.explanation_parts import Mend

__all__ = [
    "MEANING",
    "Above",
    "effect_on",
    "effect_words",
    "first_part",
    "learner_words",
    "loss_word",
    "part_title",
]

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


def part_title(name: str) -> str:
    """Return the name of a part as a label."""
    return f"{name[:1].upper()}{name[1:]}"


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
