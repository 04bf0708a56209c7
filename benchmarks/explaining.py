"""What explain costs beside score: lines and trees, two and four classes, with a cause and without one."""

from itertools import product

import numpy as np
from timing import middle, take_turns

import datakin

ROWS, COLUMNS = 1000, 20
CAUSES = ("nothing", "another effect", "other units")


def tables(cause, learner, rows, n_classes):
    """Return a target and a source; for trees the rule bends."""
    rng = np.random.default_rng(0)
    made = []
    for name in ("target", "source"):
        X = rng.normal(size=(rows, COLUMNS))
        turned = -1.0 if (cause, name) == ("another effect", "source") else 1.0
        bent = 2 * (X[:, 1] * X[:, 2] > 0) - 1 if learner == "trees" else X[:, 1]
        score = turned * X[:, 0] + bent
        y = rng.random(rows) < 1 / (1 + np.exp(-score))
        if n_classes == 4:  # a second label that hangs on two other columns
            y = y + 2 * (rng.random(rows) < 1 / (1 + np.exp(-X[:, 3] - X[:, 4])))
        if (cause, name) == ("other units", "source"):
            X[:, 0] = 1.8 * X[:, 0] + 32
        made.append(datakin.as_dataset(X, y.astype(int), name=name))
    return made


def explaining(quick=False):
    """CPU seconds with one thread; medians over rounds of calls that take turns."""
    rounds, rows = (1, 200) if quick else (5, ROWS)
    found = []
    for learner, n_classes in product(("linear", "trees"), (2, 4)):
        for cause in CAUSES:
            both = tables(cause, learner, rows, n_classes)
            calls = {
                "explain": lambda both=both, name=learner: datakin.explain(*both, learner=name),
                "auto": lambda both=both: datakin.explain(*both),
                "score": lambda both=both: datakin.score(*both),
            }
            named = ", ".join(datakin.explain(*both, learner=learner).causes) or "nothing"
            times = take_turns(calls, rounds)
            seconds = [f"{middle(times[name], 0):.2f}" for name in calls]
            row = (learner, n_classes, cause, named, rounds, *seconds, "5")
            print(*row, sep="  ", flush=True)
            found.append(row)
    columns = [
        "learner",
        "classes",
        "planted",
        "named",
        "rounds",
        "explain, CPU s",
        "with learner='auto'",
    ]
    return found, [*columns, "score, CPU s", "asked for, at most"]
