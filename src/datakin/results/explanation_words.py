"""Parts of a ladder in words and in percent, the same in reports and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datakin.results.words import percent, short

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation

__all__ = ["MEANING", "Above", "effect_words", "learner_words", "part_title"]

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

    def share(self, value: float) -> float:
        """Return a loss as a share of the loss of the target alone; 0 where that is 0."""
        return value / self.base if self.base else 0.0

    def titled(self, label: str) -> str:
        """Return the title of a column of such numbers."""
        return f"{label}, %" if self.base else label

    def text(self, value: float) -> str:
        """Return a loss in words, with its sign."""
        sign = "+" if value > 0 else ""
        return f"{sign}{percent(value / self.base)}%" if self.base else f"{sign}{value:.3g}"
