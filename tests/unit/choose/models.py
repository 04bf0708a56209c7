"""Fitted models for tests, without a choice: an encoder, three learners, equal weights."""

import warnings
from datetime import date

import numpy as np
import pandas as pd

import datakin
from datakin._core.repeatability import versions
from datakin.choosing import CardSource, KinModel, ModelCard, label_type_of
from datakin.data.dataset import task_of
from datakin.data.schema import TableSchema
from datakin.learners.encoding import TableEncoder
from datakin.learners.kernel import KernelLearner
from datakin.learners.learner import Rows, responses
from datakin.learners.linear import LinearLearner
from datakin.learners.predictors import ConstantPredictor, StackPredictor
from datakin.learners.trees import TreeLearner

LEARNERS = (LinearLearner(), KernelLearner(), TreeLearner(rounds=8))


def quiet(reader, *args, **options):
    """Read a table whose notes are no matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", datakin.DatakinWarning)
        return reader(*args, **options)


def ward(seed=0, n=80, task="binary"):
    """A table with numbers, text, truth values, dates, and values that are missing."""
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(60, 10, n).round(1), rng.normal(size=n).round(3)
    z = (age - 60) / 10 + dose
    label = {
        "binary": np.where(z > 0, "yes", "no"),
        "multiclass": np.array(["low", "mid", "high"])[np.digitize(z, [-0.7, 0.7])],
        "regression": (z + 0.1 * rng.normal(size=n)).round(4),
    }[task]
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "town": rng.choice(["Gent", "Delft", "Ulm"], n),
            "smokes": rng.choice([True, False], n),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "dose": dose,
            "died": label,
        }
    )
    frame.loc[frame.index % 9 == 3, "town"] = None
    return frame


def card_of(target, sources, *, interval, classes=None, notes=(), **about):
    """Return the card of a model of a target and of (dataset, share, call), made today."""
    named = tuple(target.classes if classes is None else classes)
    return ModelCard(
        created=date.today().isoformat(),
        target=target.name,
        label=target.label,
        task=task_of(named),
        classes=named,
        n_rows=target.n_rows,
        fingerprint=target.fingerprint,
        sources=tuple(CardSource(s.name, s.n_rows, s.fingerprint, *more) for s, *more in sources),
        interval=tuple(map(float, interval)),
        versions=versions(),
        datakin=versions().get("datakin", ""),
        notes=tuple(notes),
        **about,
    )


def model_of(target, sources=(), learners=LEARNERS, *, loss=None, shares=(), constant=False):
    """Return a model of a dataset, its parts with equal weights."""
    columns = sorted(set(target.columns).intersection(*(s.columns for s in sources)))
    tables = [d.features.select(columns) for d in (target, *sources)]
    encoder = TableEncoder.learn(tables)
    parts = []
    for dataset, features in zip((target, *sources), tables, strict=True):
        Y, kind = responses(dataset.y, len(dataset.classes))
        rows = Rows(encoder.apply(features), Y, np.ones(dataset.n_rows), kind)
        name = "target" if dataset is target else f"source: {dataset.name}"
        parts += [(each.name, name, each.fit(rows)[0]) for each in learners]
    if constant:
        parts.append(("mean", "target", ConstantPredictor(Y.mean(axis=0))))
    weights = np.full(len(parts), 1 / len(parts))
    made = tuple((f, rows, float(w), p) for (f, rows, p), w in zip(parts, weights, strict=True))
    card = card_of(
        target,
        [(source, 0.25, "helps") for source in sources],
        loss=loss or ("zero_one" if target.classes else "squared"),
        error=0.18,
        interval=(0.165, 0.196),
        error_alone=0.2,
        error_all=0.21,
        notes=["a note"],
    )
    return KinModel(
        TableSchema.of(target, columns),
        encoder,
        StackPredictor(made, target.task, target.classes, np.array(shares)),
        card,
        label_type=label_type_of(target),
    )


def ward_model(task="binary", **options):
    """Return a model of one table and a source."""
    target, source = (
        datakin.read_table(ward(seed, task=task), label="died", name=name)
        for seed, name in ((0, "mine"), (1, "theirs"))
    )
    return model_of(target, [source], **options)
