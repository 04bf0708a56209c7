"""
What the score sees
===================

Two datasets in the plane with the decision boundary that is learned on each. On the left the features
lie apart and the boundaries agree: kin. On the right the features lie together and the boundaries do
not: strangers. A distance between features would say the opposite.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import LogisticRegression

import datakin


def draw(n, rule, centre, seed, name):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2)) + centre
    y = (X @ rule + 0.4 * rng.standard_normal(n) > 0).astype(int)
    return datakin.as_dataset(X, y, name=name)


target = draw(200, [1.0, 1.0], [0.0, 0.0], 0, "target")
kin = draw(200, [1.0, 1.0], [1.5, -1.5], 1, "kin")
stranger = draw(200, [1.0, -1.0], [0.0, 0.0], 2, "stranger")


def show(ax, dataset, ink, style):
    """Draw the rows, filled for the second class, and where a logistic regression changes its mind."""
    X, y = dataset.features.numeric, dataset.y
    fitted = LogisticRegression().fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        fitted, X, ax=ax, response_method="predict_proba", plot_method="contour", levels=[0.5],
        colors=[ink], linestyles=style, linewidths=2,
    )  # fmt: skip
    ax.scatter(X[y == 0, 0], X[y == 0, 1], s=14, facecolors="none", edgecolors=ink, alpha=0.6)
    ax.scatter(X[y == 1, 0], X[y == 1, 1], s=14, color=ink, alpha=0.6, label=dataset.name)


figure, both = plt.subplots(1, 2, figsize=(11, 5.4))
for ax, source in zip(both, (kin, stranger), strict=True):
    show(ax, target, "#0072B2", "-")
    show(ax, source, "#D55E00", "--")
    ax.legend(frameon=False)
    score = datakin.score(target, source).score
    energy = datakin.distances.compare(target, source, method="energy").score
    ax.set_xlabel(f"Cross-Learning Score {score:.2f}, energy distance {energy:.2f}")
figure.tight_layout()
