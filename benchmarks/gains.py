"""What each fitter gains over scikit-learn's or XGBoost's own fits, on one dataset's plan."""

from dataclasses import replace
from statistics import median

from timing import clock
from workloads import draw

from datakin import as_dataset
from datakin.learning.engine import PlanRun
from datakin.learning.folds import make_plan
from datakin.learning.models import choose_models


def gains(quick=False):
    """Sixteen fits and the predictions of the rows left out; medians over rounds."""
    rows = []
    for n, p in (
        ((200, 10), (1000, 10)) if quick else ((200, 10), (1000, 10), (1000, 3), (5000, 50))
    ):
        rounds = {200: 9, 1000: 5, 5000: 1}[n] if not quick else 1
        for task in ("two classes", "regression"):
            is_class = task == "two classes"
            dataset = as_dataset(*draw(n, p, 1, 0.0, is_class))
            run = PlanRun(dataset, dataset.features.names, make_plan(dataset, 5, "shared", 0), 0)
            for model in choose_models(None, is_class):
                if n == 5000 and model.name == "linear_svm" and not is_class:
                    continue  # hours of libsvm
                row = (task, f"{n} x {p}", model.name, *gain(run, model, rounds))
                print(*row, sep="  ", flush=True)
                rows.append(row)
    columns = ["task", "rows x columns", "model", "fitted by", "library, CPU ms", "ours, CPU ms"]
    return rows, [*columns, "gain"]


def gain(run, model, rounds):
    plain, backend = replace(model, backend=None), run.fit([model])[0].backend
    times = [
        (clock(run.fit, [plain])[0], clock(run.fit, [model])[0])  # by turns
        for _ in range(rounds)
    ]
    theirs, ours = (1000 * median(t[i] for t in times) for i in (0, 1))
    ratio = median(a / b for a, b in times)
    return backend, f"{theirs:.0f}", f"{ours:.0f}", f"{ratio:.1f}"
