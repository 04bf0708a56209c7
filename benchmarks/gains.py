"""What each fitter gains over scikit-learn's or XGBoost's own fits, on the plans of a pair."""

from statistics import median

from library import models
from timing import clock
from workloads import pair

import datakin


def gains(quick=False):
    """All fits of two datasets and their predictions; medians over rounds."""
    rows = []
    for n, p in (
        ((200, 10), (1000, 10)) if quick else ((200, 10), (1000, 10), (1000, 3), (5000, 50))
    ):
        rounds = {200: 9, 1000: 5, 5000: 1}[n] if not quick else 1
        for task in ("two classes", "regression"):
            is_class = task == "two classes"
            data = [datakin.as_dataset(*one) for one in pair(n, p, is_class)]
            for name, plain in models(is_class).items():
                if n == 5000 and name == "linear_svm" and not is_class:
                    continue  # hours of libsvm
                row = (task, f"{n} x {p}", name, *gain(data, name, plain, rounds))
                print(*row, sep="  ", flush=True)
                rows.append(row)
    columns = ["task", "rows x columns", "model", "fitted by", "library, CPU ms", "ours, CPU ms"]
    return rows, [*columns, "gain"]


def gain(data, name, plain, rounds):
    def measure(chosen):
        datakin.CrossErrors.measure(data, models=chosen)

    backends = datakin.score(*data, models=[name]).provenance.backends
    times = [
        (clock(measure, {name: plain})[0], clock(measure, [name])[0])  # by turns
        for _ in range(rounds)
    ]
    theirs, ours = (1000 * median(t[i] for t in times) for i in (0, 1))
    ratio = median(a / b for a, b in times)
    fitters = " and ".join(sorted(set(backends.values())))
    return fitters, f"{theirs:.0f}", f"{ours:.0f}", f"{ratio:.1f}"
