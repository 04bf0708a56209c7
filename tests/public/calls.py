"""A call for every public name and option of the package; `rooms` has those of its rooms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import datakin
from tests.golden.data import classes, table
from tests.public import rooms
from tests.public.data import (
    FAST,
    READING,
    SCORING,
    SYMMETRIC,
    choice,
    cluster,
    comparison,
    database,
    kept,
    sources,
    take,
    target,
    written,
)
from tests.public.use import Use


def doors(use: Use) -> None:
    """Data as it comes in."""
    X, y = target().features.numeric, target().y
    rows = np.arange(60)
    use(
        "datakin.as_dataset",
        X,
        y,
        name="mine",
        task="binary",
        group=rows // 2,
        keep=["x0"],
        weights=rows + 1.0,
    )
    path = written(use, "mine", 1)
    dataset = use("datakin.read_table", path, name="mine", **READING)
    use("datakin.read_table", database(use), label="y", table="first")
    use("datakin.read_table", database(use), label="y", query="select * from first")
    use("datakin.read_tables", [path, written(use, "other", 2)], skip_unusable=True, **READING)
    use("datakin.read_tables", [database(use)], label="y", table="first")
    use("datakin.read_tables", [database(use)], label="y", query="select * from first")
    both = pd.concat([table(60, seed).assign(site=f"s{seed}") for seed in (1, 2)])
    use("datakin.read_tables", both, label="y", domain="site")
    use("datakin.match_classes", classes(90, 2, rare=0.2), target(), random_state=1)
    use.read(dataset)
    columns = dataset.columns
    use.on(dataset, "distinct_rows", columns=columns)
    use.on(dataset, "row_hashes", columns=columns)
    use.on(dataset, "renamed", name="other")
    use.on(dataset, "edited", y=dataset.y)
    use.on(dataset, "take", rows=rows[:20])
    use.on(dataset, "unweighted")
    described = use("datakin.describe", path, **READING)
    use("datakin.describe", both, label="y", domain="site")
    use("datakin.describe", database(use), table="first")
    use("datakin.describe", database(use), query="select * from first")
    use.read(described)
    use.on(described, "text", width=80, word=str.upper)
    kept(use, described)


def scores(use: Use) -> None:
    """The score of a pair, a ranking and a matrix."""
    all_of_them = [target(), *sources()]
    with cluster() as client:
        where = {"client": client}
        pair = use(
            "datakin.score",
            target=target(),
            source=sources()[0],
            **SCORING,
            checkpoint=use.folder / "pair",
            **where,
        )
        ranking = use(
            "datakin.rank",
            target=target(),
            sources=list(sources()),
            screen=False,
            on_result=take,
            **SCORING,
            checkpoint=use.folder / "ranking",
            **where,
        )
        square = use(
            "datakin.matrix",
            datasets=all_of_them,
            calls=False,
            **SYMMETRIC,
            checkpoint=use.folder / "square",
            **where,
        )
        use.on(
            datakin.CrossErrors,
            "measure",
            datasets=all_of_them,
            **SCORING,
            checkpoint=use.folder / "table",
            **where,
        )
    for result in (pair, ranking, square):
        kept(use, result)
    kept(use, comparison())
    use.on(pair, "row")
    use.on(square, "clusters", n=2)
    curve = use.read(next(iter(pair.curves.values())))
    use.on(curve, "error_at", n_train=100)
    use.read(pair.directions["source_to_target"])
    use.read(pair.provenance)
    use.read(pair.decision)
    for zone in datakin.Zone:
        use.read(use("datakin.Zone", zone.value))


def options(use: Use) -> None:
    """The score as an object, with its options."""
    all_of_them = [target(), *sources()]
    by_words = use(
        "datakin.CrossLearningScore", client=None, checkpoint=use.folder / "kept", **SCORING
    )
    use.read(by_words)
    by_words = by_words.replace(checkpoint=None)
    use.on(by_words, "compare", target=target(), source=sources()[0])
    use.on(by_words, "rank", target=target(), sources=list(sources()), screen=True, on_result=take)
    trying = by_words.replace(direction=0.5, zones="gain")
    use.on(trying, "matrix", datasets=all_of_them, calls=True)
    use.on(by_words, "get_params", deep=True)
    use.on(by_words, "replace", client=None, checkpoint=None, **SCORING)
    use.on(by_words, "summary")
    use.on(datakin.CrossLearningScore, "names", mark="look")
    use.on(datakin.CrossLearningScore, "as_in_paper", client=None, checkpoint=None, **SCORING)


def table_of_errors(use: Use) -> None:
    """The cross-error table and its looks."""
    made = use.on(
        datakin.CrossErrors,
        "measure",
        [target(), *sources()],
        pairs="all",
        trials=None,
        keep="predictions",
        **FAST,
    )
    use.read(made)
    first, second = target().name, sources()[0].name
    looks = {name: SCORING[name] for name in datakin.CrossLearningScore.names("look")}
    use.on(made, "score", target=first, source=second, **looks)
    use.on(made, "rank", target=first, **looks)
    use.on(made, "matrix", **{**looks, "direction": 0.5})
    use.on(made, "backends", names=[first], columns=None)
    use.on(made, "check_name", name=first)
    use.on(made, "estimates", target=first, source=second)
    use.on(made, "has_pair", target=first, source=second)
    use.on(made, "pair", target=first, source=second)
    use.on(made, "trial", target=first, source=second)
    use.on(made, "read_with", options=made.options, models="logistic")
    use.on(made, "refusal", what="This")
    use.on(made, "save", folder=use.folder / "table")
    use.on(datakin.CrossErrors, "load", folder=use.folder / "table")
    use.on(made.subset([first, second]), "subset", names=[first, second])
    tried = datakin.CrossErrors.measure([target(), sources()[0]], trials=first, **FAST)
    use.on(tried, "choose", target=first)
    others = datakin.CrossErrors.measure([target(), sources()[0]], **FAST)
    use.on(others, "join", other=datakin.CrossErrors.measure([target(), sources()[1]], **FAST))


def choices(use: Use) -> None:
    """What to learn from, the model, and why the others do not help."""
    options = {
        "learners": ["linear"],
        "loss": "brier",
        "repeats": 1,
        "max_rows": 50,
        "pools": False,
    }
    options |= {"random_state": 1, "n_jobs": 1, "client": None, "weights": {"d1": np.ones(60)}}
    use(
        "datakin.choose",
        target=target(),
        sources=list(sources()),
        checkpoint=use.folder / "draws",
        **options,
    )
    made = choice()
    use("datakin.choose", target(), [classes(70, 4)], add_to=made, learners=["linear"], repeats=1)
    forest = use("datakin.raw", estimator=RandomForestClassifier(5))
    use("datakin.choose", target(), learners={"mine": forest}, repeats=1)
    kept(use, made)
    path = use.folder / "kin.datakin"
    use.on(made, "save", path=path)
    model = use("datakin.load_model", path=path)
    use.on(made, "with_model", model=model)
    later = classes(80, 5, 0.1)
    use.on(made, "error_on", dataset=later)
    measured = use.read(use.on(made, "metrics_on", dataset=later))
    use.read(model)
    X = later.features.numeric
    use.on(model, "predict", X=X)
    use.on(model, "predict_proba", X)
    use.on(model, "score", X=X, y=later.y, sample_weight=np.ones(len(later.y)))
    use.on(model, "error_on", rows=later)
    use.on(model, "metrics_on", rows=later)
    use.on(model, "save", path=path, overwrite=True)
    use.on(measured, "get", name="auc")
    use.on(made, "tested_on", dataset=later)
    others = list(sources())
    asked = {"learner": "linear", "loss": "brier", "max_rows": 50, "random_state": 1}
    kept(use, use("datakin.explain", target=target(), source=others[1], **asked))
    use(
        "datakin.explain_sources",
        result=made,
        target=target(),
        sources=others,
        names=["d3"],
        **asked,
    )


def pages(use: Use) -> None:
    """Transfer methods of datasets, reports, warnings and exceptions."""
    options = {"methods": ["concatenate"], "loss": "zero_one", "repeats": 2, "test_size": 0.4}
    options |= {"random_state": 1, "n_jobs": 1, "estimator": None}
    kept(use, use("datakin.transfer_gain", target=target(), source=sources()[0], **options))
    path = use.folder / "pair.html"
    for _ in range(2):
        use(
            "datakin.write_report",
            result=comparison(),
            path=path,
            overwrite=True,
            command="score",
            notes=["one"],
        )
    use.read(use("datakin.DatakinError", "no"))
    use.read(use("datakin.DatakinWarning", "odd"))
    use.read(use("datakin.Interrupted", message="stopped", partial=None))
    use.seen |= {"datakin.distances", "datakin.plots"}  # rooms: their names have calls of their own


CALLS: dict[str, Callable[[Use], None]] = {
    **{each.__name__: each for each in (doors, scores, options, table_of_errors, choices, pages)},
    **rooms.CALLS,
}
