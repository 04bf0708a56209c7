"""Three sets of handwritten digits: MNIST, USPS and optdigits, at 16x16, each digit filling its frame."""

from __future__ import annotations

import time
import warnings
from functools import cache
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from datakin import DatakinWarning, Dataset
from reproduction.harness import Array, Row, data_folder, derive_seed, markdown
from reproduction.networks import few_threads, predict_digits, seeded, torch_line, train_network
from reproduction.study import COLOURS, INK, Study, Summary, blank_figure

NAMES = ("MNIST", "USPS", "optdigits")
FILES = {"MNIST": "mnist_t10k.npz", "USPS": "usps.npz", "optdigits": "optdigits_8x8.npz"}
BRIGHTEST = {"MNIST": 255.0, "USPS": 255.0, "optdigits": 16.0}
MARGIN = {"MNIST": 4}  # pixels without ink on every side; the other two fill their frames
EDGE, N_ROWS, N_MANY, REPEATS = 16, 800, 6000, 3
TRAINING: dict[str, Any] = {"epochs": 10, "batch_size": 64, "lr": 2e-3, "patience": 4}
ALONE = {"source only": True, "source only, as it came": False}  # with frames filled, or not
PUBLISHED = {("MNIST", "USPS"): 0.94, ("USPS", "MNIST"): 0.73}  # accuracy of the source's network


@cache
def all_digits(name: str, data: Path | None, is_framed: bool = True) -> tuple[Array, Array]:
    """Return images from 0 to 1 at 16x16, and labels; without their margin, or as they came."""
    import torch

    with np.load(data_folder(data, "digits", "digits") / FILES[name]) as file:
        X, y = file["X"] / BRIGHTEST[name], file["y"].astype(int)
    if is_framed and (margin := MARGIN.get(name, 0)):
        X = X[:, margin:-margin, margin:-margin]
    images = torch.from_numpy(X.astype(np.float32))[:, None]
    options = {"size": (EDGE, EDGE), "mode": "bilinear", "antialias": True}
    scaled = torch.nn.functional.interpolate(images, align_corners=False, **options)
    return scaled.clamp(0, 1).numpy(), y


def draw_digits(
    name: str, n: int, seed: int, data: Path | None, is_framed: bool = True
) -> tuple[Array, Array]:
    """Return images and labels of a random part of one of the sets."""
    X, y = all_digits(name, data, is_framed)
    rows = np.random.default_rng(derive_seed(seed, "digits", name)).permutation(len(y))[:n]
    return X[rows], y[rows]


def read_digits(name: str, n: int, seed: int, data: Path | None = None) -> Dataset:
    """Return a random part of one of the sets as a dataset for encoders."""
    from datakin.deep import as_items

    return as_items(*draw_digits(name, n, seed, data), name=name, task="multiclass")


def _network(seed: int) -> Any:
    from datakin.deep import ResNet18

    return seeded(seed, lambda: ResNet18(channels=1, width=8, small=True))


def _replicate(cell: Row, seed: int, data: Path | None = None) -> list[Row]:
    began = time.perf_counter()
    with few_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        if cell["measure"] in ALONE:
            rows = _source_only(str(cell["source"]), seed, ALONE[str(cell["measure"])], data)
        else:
            rows = [_compared(cell, seed, data)]
    seconds = time.perf_counter() - began
    return [{**row, "seconds": seconds} for row in rows]


def _compared(cell: Row, seed: int, data: Path | None) -> Row:
    from datakin.deep import EncoderHeadScore, fine_tune_gain

    pair = [read_digits(str(cell[side]), N_ROWS, seed, data) for side in ("target", "source")]
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
    score = EncoderHeadScore(net, repeats=REPEATS, **options).compare(*pair)
    return {
        "score": score.score,
        "score_se": score.standard_error,
        "zone": score.zone.code,
        "source_to_target": score.source_to_target,
        "target_to_source": score.target_to_source,
    }


def _source_only(name: str, seed: int, is_framed: bool, data: Path | None) -> list[Row]:
    """Train on one set alone and test on the others, as they are."""
    net = _network(seed)
    images, labels = draw_digits(name, N_MANY, seed, data, is_framed)
    options = {"epochs": 8, "batch_size": 64, "lr": TRAINING["lr"], "patience": 3}
    head = train_network(net, images, labels, **options, seed=seed)
    rows = []
    for other in (other for other in NAMES if other != name):
        images, labels = draw_digits(other, N_MANY, seed, data, is_framed)
        right = float(np.mean(predict_digits(net, head, images) == labels))
        rows.append({"target": other, "accuracy": right})
    return rows


def _summarise(rows: Any) -> Summary:
    alone = rows[rows["measure"].isin(list(ALONE))]
    parts = []
    for (target, source), part in rows.drop(alone.index).groupby(["target", "source"], sort=False):
        score, gain = (part[part["measure"] == m] for m in ("score", "gain"))
        row: Row = {"target": target, "source": source, "replicates": len(score)}
        row |= {"score": score["score"].mean(), "score_se": _spread(score, "score")}
        for column in ("source_to_target", "target_to_source"):
            row[column] = score[column].mean()
        row["zones"] = " ".join(score["zone"])
        for column in ("target_rer", "source_rer", "average_rer"):
            row[column] = gain[column].mean()
        row["average_rer_se"] = _spread(gain, "average_rer")
        parts.append(row)
    frame = pd.DataFrame(parts).sort_values("score", ignore_index=True)
    frame["gain_rank"] = (-frame["average_rer"]).rank().astype(int)
    means = alone.groupby(["source", "target", "measure"])["accuracy"].agg(["mean", "sem"])
    text = [_text(frame, rows), markdown(frame), *_asymmetry(means), torch_line()]
    return Summary(frame, "\n\n".join(text))


def _spread(part: Any, name: str) -> float:
    """Return the standard error over replicates, or the one that a single replicate came with."""
    return float(part[name].sem() if len(part) > 1 else part[f"{name}_se"].iloc[0])


def _text(frame: Any, rows: Any) -> str:
    seconds = rows[rows["measure"] == "score"]["seconds"].max() / REPEATS
    order = [f"{t}/{s}" for t, s in zip(frame["target"], frame["source"], strict=True)]
    by_gain = [order[i] for i in np.argsort(frame["gain_rank"].to_numpy(), kind="stable")]
    negative = "some" if frame["zones"].str.contains("NT").any() else "none"
    return (
        f"MNIST's test set, USPS and optdigits (scikit-learn's), scaled to {EDGE}x{EDGE} after MNIST's empty "
        f"margin of {MARGIN['MNIST']} pixels is cut off, since the other two fill their frames; {N_ROWS} "
        f"digits of each, drawn anew in every replicate. Encoder: ResNet-18 with 8 channels, from scratch, "
        f"trained for {TRAINING['epochs']} epochs at most; scores over {REPEATS} repeats (up to "
        f"{seconds:.0f} s for a joint training, one thread), realised gain by pretraining and fine-tuning "
        f"with a new head, 5-fold.\n\n"
        f"By score, closest first: {', '.join(order)} (steps of {_steps(rows, 'score', order)} standard "
        f"errors). By realised average RER, largest first: {', '.join(by_gain)} (steps of "
        f"{_steps(rows, 'average_rer', by_gain)}). The two orders "
        f"{'agree' if order == by_gain else 'do not agree'}; {negative} of the pairs called negative, and "
        f"{'all' if (frame['average_rer'] > 0).all() else 'not all'} gain by transfer."
    )


def _steps(rows: Any, value: str, order: list[str]) -> str:
    """Return how far neighbours lie apart in standard errors of their difference, seed by seed.

    Pairs share a set, and so the digits drawn of it: their values are not independent.
    """
    known = rows.dropna(subset=[value])
    wide = known.assign(pair=known["target"] + "/" + known["source"]).pivot(
        index="seed", columns="pair", values=value
    )
    if len(wide) < 2:
        return "unknown"
    gaps = [wide[one] - wide[other] for one, other in pairwise(order)]
    return " and ".join(f"{abs(gap.mean()) / gap.sem():.1f}" for gap in gaps)


def _asymmetry(means: Any) -> list[str]:
    """Return what a network of one set alone makes of the others, beside published figures."""
    lines = []
    for source, target in permutations(NAMES, 2):
        row: Row = {"trained on": source, "tested on": target}
        for measure in ALONE:
            found = means.loc[(source, target, measure)]
            row[measure] = f"{found['mean']:.3f}" + (
                f" ± {found['sem']:.3f}" if found["sem"] == found["sem"] else ""
            )
        row["published"] = PUBLISHED.get((source, target), np.nan)
        lines.append(row)
    return [
        f"Asymmetry: accuracy of a network trained on up to {N_MANY:,} digits of one set alone (8 epochs) "
        f"and tested on another, with frames filled and as the sets came (MNIST with its margin). Published "
        f"figures are for larger networks and training sets.",
        markdown(pd.DataFrame(lines)),
    ]


def _draw(frame: Any) -> Any:
    figure = blank_figure(6.0, 2.6)
    axes = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(frame))[::-1]
    labels = [f"{t} / {s}" for t, s in zip(frame["target"], frame["source"], strict=True)]
    axes[0].errorbar(frame["score"], places, xerr=2 * frame["score_se"], fmt="o",
                     color=COLOURS["blue"])  # fmt: skip
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
        *(
            {"target": "", "source": name, "measure": measure}
            for measure in ALONE
            for name in NAMES
        ),
    ],
    _replicate,
    _summarise,
    5,
    draw=_draw,
)
