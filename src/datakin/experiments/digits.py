"""Three sets of handwritten digits: MNIST, USPS and optdigits, at 16x16."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinWarning
from datakin._core.seeds import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.experiments.canvas import COLOURS, INK, blank_figure
from datakin.experiments.networks import data_folder, few_threads, torch_line
from datakin.experiments.study import Row, Study, Summary, markdown

__all__ = ["DIGITS", "all_digits", "read_digits"]

NAMES = ("MNIST", "USPS", "optdigits")
FILES = {"MNIST": "mnist_t10k.npz", "USPS": "usps.npz", "optdigits": "optdigits_8x8.npz"}
BRIGHTEST = {"MNIST": 255.0, "USPS": 255.0, "optdigits": 16.0}
EDGE, N_ROWS, N_MANY = 16, 800, 6000
TRAINING: dict[str, Any] = {"epochs": 6, "batch_size": 32, "lr": 2e-3, "patience": 3}
PUBLISHED = {("MNIST", "USPS"): 0.94, ("USPS", "MNIST"): 0.73}  # accuracy of the source's network


@cache
def all_digits(name: str) -> tuple[Array, Array]:
    """Return images from 0 to 1 at 16x16, and labels."""
    import torch

    with np.load(data_folder("digits", "digits") / FILES[name]) as file:
        X, y = file["X"] / BRIGHTEST[name], file["y"].astype(int)
    images = torch.from_numpy(X.astype(np.float32))[:, None]
    options = {"size": (EDGE, EDGE), "mode": "bilinear", "antialias": True}
    scaled = torch.nn.functional.interpolate(images, align_corners=False, **options)
    return scaled.clamp(0, 1).numpy(), y


def read_digits(name: str, n: int, seed: int) -> Dataset:
    """Return a random part of one of the sets."""
    from datakin.deep import as_items

    X, y = all_digits(name)
    rows = np.random.default_rng(derive_seed(seed, "digits", name)).permutation(len(y))[:n]
    return as_items(X[rows], y[rows], name=name, task="multiclass")


def _network(seed: int) -> Any:
    from datakin.deep import ResNet18
    from datakin.deep.training import seeded

    with seeded(seed):
        return ResNet18(channels=1, width=8, small=True)


def _replicate(cell: Row, seed: int) -> list[Row]:
    import time

    began = time.perf_counter()
    with few_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        rows = _source_only(str(cell["source"]), seed) if cell["measure"] == "source only" else None
        if rows is None:
            rows = [_compared(cell, seed)]
    seconds = time.perf_counter() - began
    return [{**row, "seconds": seconds} for row in rows]


def _compared(cell: Row, seed: int) -> Row:
    from datakin.deep import EncoderHeadScore, fine_tune_gain

    pair = [read_digits(str(cell[side]), N_ROWS, seed) for side in ("target", "source")]
    net, options = _network(seed), {**TRAINING, "random_state": seed}
    if cell["measure"] == "gain":
        gain = fine_tune_gain(pair[0], pair[1], net, **options)
        found = gain.methods["fine-tune"]
        return {
            "target_rer": found.target_rer,
            "source_rer": found.source_rer,
            "average_rer": found.average_rer,
            "average_rer_se": found.average_se,
            "target_error": gain.target_error,
            "source_error": gain.source_error,
        }
    score = EncoderHeadScore(net, repeats=3, **options).compare(*pair)
    return {
        "score": score.score,
        "low": score.interval[0],
        "high": score.interval[1],
        "zone": score.zone.code,
        "source_to_target": score.source_to_target,
        "target_to_source": score.target_to_source,
    }


def _source_only(name: str, seed: int) -> list[Row]:
    """Train on one set alone and test on the others, as they are."""
    import torch

    from datakin.deep.items import contents_of
    from datakin.deep.training import Training, fit_network, seeded

    source = read_digits(name, N_MANY, seed)
    X = contents_of(source).load(np.arange(source.n_rows), None)
    net = _network(seed)
    training = Training(8, 64, TRAINING["lr"], 3, torch.device("cpu"))
    with seeded(seed):
        head = fit_network(
            net, None, lambda rows: X[rows], source.y, np.arange(len(X)),
            n_classes=10, training=training, seed=seed,
        )  # fmt: skip
    rows = []
    for other in NAMES:
        if other != name:
            test = read_digits(other, N_MANY, seed)
            images = contents_of(test).load(np.arange(test.n_rows), None)
            with torch.no_grad():
                out = head(net(torch.from_numpy(images)))
            right = float(np.mean(out.numpy().argmax(1) == test.y))
            rows.append({"target": other, "accuracy": right})
    return rows


def _summarise(rows: Any) -> Summary:
    parts = []
    for (target, source), part in rows[rows["measure"] != "source only"].groupby(
        ["target", "source"], sort=False
    ):
        score, gain = (part[part["measure"] == m] for m in ("score", "gain"))
        row: Row = {"target": target, "source": source, "replicates": len(score)}
        for column in ("score", "low", "high", "source_to_target", "target_to_source"):
            row[column] = score[column].mean()
        row["zones"] = " ".join(score["zone"])
        for column in ("target_rer", "source_rer", "average_rer", "average_rer_se"):
            row[column] = gain[column].mean()
        if len(gain) > 1:
            row["average_rer_se"] = gain["average_rer"].sem()
        for a, b in ((target, source), (source, target)):
            found = rows[
                (rows["measure"] == "source only") & (rows["source"] == b) & (rows["target"] == a)
            ]
            row[f"{'source' if b == source else 'target'}_only_accuracy"] = found["accuracy"].mean()
        parts.append(row)
    frame = pd.DataFrame(parts).sort_values("score", ignore_index=True)
    frame["gain_rank"] = (-frame["average_rer"]).rank().astype(int)
    seconds = rows[rows["measure"] == "score"]["seconds"].max() / 3
    return Summary(frame, f"{_text(frame, seconds)}\n\n{markdown(frame)}\n\n{torch_line()}")


def _text(frame: Any, seconds: float) -> str:
    order = [f"{t}/{s}" for t, s in zip(frame["target"], frame["source"], strict=True)]
    by_gain = [order[i] for i in np.argsort(frame["gain_rank"].to_numpy(), kind="stable")]
    negative = "some" if frame["zones"].str.contains("NT").any() else "none"
    overlap = frame["low"].max() < frame["high"].min()
    lines = []
    for (source, target), published in PUBLISHED.items():
        for _, row in frame.iterrows():
            if {row["target"], row["source"]} == {source, target}:
                name = "source" if row["source"] == source else "target"
                ours = row[f"{name}_only_accuracy"]
                lines.append(f"{source} to {target} {ours:.2f} (published {published:.2f})")
    return (
        f"MNIST's test set, USPS and optdigits (scikit-learn's), scaled to {EDGE}x{EDGE}; {N_ROWS} digits of "
        f"each, drawn anew in every replicate. Encoder: ResNet-18 with 8 channels, from scratch, trained "
        f"for {TRAINING['epochs']} epochs at most; scores over 3 repeats (up to {seconds:.0f} s for a joint "
        f"training, one thread), realised gain by pretraining and fine-tuning with a new head, 5-fold.\n\n"
        f"By score, closest first: {', '.join(order)}. By realised average RER, largest first: "
        f"{', '.join(by_gain)}. The two orders {'agree' if order == by_gain else 'do not agree'}; the "
        f"intervals of the scores {'overlap' if overlap else 'do not overlap'}, {negative} of the pairs "
        f"called negative, and {'all' if (frame['average_rer'] > 0).all() else 'not all'} gain by "
        f"transfer.\n\n"
        f"Asymmetry: a network trained on up to {N_MANY:,} digits of one set alone (8 epochs) and tested on "
        f"another as it is, accuracy: {'; '.join(lines)}. Published figures are for larger networks and "
        f"training sets."
    )


def _draw(frame: Any) -> Any:
    figure = blank_figure(6.0, 2.6)
    axes = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(frame))[::-1]
    labels = [f"{t} / {s}" for t, s in zip(frame["target"], frame["source"], strict=True)]
    reach = np.array([frame["score"] - frame["low"], frame["high"] - frame["score"]])
    axes[0].errorbar(frame["score"], places, xerr=reach, fmt="o", color=COLOURS["blue"])
    axes[0].set_yticks(places, labels)
    axes[0].set_xlabel("encoder-head score")
    axes[1].barh(places, frame["average_rer"], 0.5, color=COLOURS["green"],
                 xerr=2 * frame["average_rer_se"])  # fmt: skip
    axes[1].set_xlabel("realised average RER")
    for ax in axes:
        ax.axvline(0, color=INK, lw=0.8)
    return figure


DIGITS = Study(
    "digits",
    "MNIST, USPS and optdigits: encoder-head score of every pair beside the realised gain.",
    [
        *(
            {"target": target, "source": source, "measure": measure}
            for measure in ("score", "gain")
            for target, source in combinations(NAMES, 2)
        ),
        *({"target": "", "source": name, "measure": "source only"} for name in NAMES),
    ],
    _replicate,
    _summarise,
    1,
    draw=_draw,
)
