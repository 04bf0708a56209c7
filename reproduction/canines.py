"""Dogs and wolves: the paper's image study with stand-ins for the sets that cannot be had."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd

from datakin import DatakinWarning, Dataset
from reproduction.harness import Array, Row, data_folder, derive_seed, markdown
from reproduction.networks import embed, few_threads, seeded, torch_line
from reproduction.study import COLOURS, INK, Study, Summary, blank_figure

N_DOGS, N_WOLVES = 194, 412  # of the paper's target
GUESSING = N_DOGS / (N_DOGS + N_WOLVES)  # error of always saying wolf
SIZE, SMALL = 128, 32  # pixels: EfficientNet-Lite0, ResNet-18 from scratch
BLOCKS = 13  # of EfficientNet-Lite0's 16, kept as they are when the rest is trained
# Images of a class in a source, where the encoder is kept and where it is trained.
MOST, FEWER = 300, 150
FROZEN, TUNED, SCRATCH = "EfficientNet-Lite0 frozen", "EfficientNet-Lite0 tuned", "ResNet-18"
# Which class of a source stands for dogs and which for wolves.
PAIRINGS = {
    "dogs_wolves": ({"dogs": "dogs", "wolves": "wolves"},),
    "cats_dogs": ({"dogs": "dogs", "cats": "wolves"}, {"cats": "dogs", "dogs": "wolves"}),
    "horses_giraffes": (
        {"horses": "dogs", "giraffes": "wolves"},
        {"giraffes": "dogs", "horses": "wolves"},
    ),
}
TRAINING: dict[str, dict[str, Any]] = {
    FROZEN: {"freeze": True, "repeats": 5},
    TUNED: {"epochs": 2, "batch_size": 32, "lr": 3e-4, "patience": 3, "repeats": 3},
    SCRATCH: {"epochs": 5, "batch_size": 32, "lr": 2e-3, "patience": 3, "repeats": 3},
}
# The paper: target, source and average RER in percent, zone; by ResNet-18 with ImageNet's weights.
PAPER = {
    "dogs_wolves": (5.0, -11.0, -3.0, "AZ"),
    "cats_dogs": (-7.9, -4.7, -6.3, "NT"),
    "horses_giraffes": (-9.0, -18.2, -13.6, "NT"),
}


@cache
def _folder(name: str, size: int, data: Path | None) -> tuple[Dataset, Array]:
    """Return a set of images and its labels in words."""
    from datakin.deep import read_images

    path = data_folder(data, name, "images")
    group = "near_dup_group" if name != "horses_giraffes" else None
    images = read_images(path / "index.csv", group=group, size=size)
    return images, np.array(images.classes)[images.y]


@cache
def _embedded(name: str, encoder: str, seed: int, data: Path | None) -> Array:
    """Return what the encoder's fixed part makes of the images that are used, once.

    In the order of all images; those that are not used are left empty.
    """
    from datakin.deep import pretrained

    images, labels = _folder(name, SMALL if encoder == SCRATCH else SIZE, data)
    contents: Any = images.features.contents
    used = _rows(name, seed, MOST, data)
    if name == "dogs_wolves":
        assert images.groups is not None
        used = np.union1d(used, draw_target(labels, images.groups, seed)[0])
    if encoder == SCRATCH:
        return _placed(np.asarray(contents.sized(SMALL).load(used)), used, images.n_rows)
    whole: Any = pretrained("efficientnet_lite0", size=SIZE)
    front, tail = split_network(whole, BLOCKS)
    if encoder == FROZEN:
        half = _embedded(name, TUNED, seed, data)[used]
        found = embed(tail, lambda rows: half[rows], len(used))
    else:
        found = embed(front, lambda rows: contents.sized(SIZE).load(used[rows]), len(used))
    return _placed(found.astype(np.float32), used, images.n_rows)


def split_network(whole: Any, n_blocks: int) -> tuple[Any, Any]:
    """Return an EfficientNet-Lite0 up to a block, with flat numbers between, and the rest."""
    import torch
    from torch import nn

    class Centred(nn.Module):
        def forward(self, x: Any) -> Any:
            return (x * 255.0 - 127.0) / 128.0

    net, blocks = whole.net, list(whole.net._blocks)
    front = nn.Sequential(Centred(), net._conv_stem, net._bn0, net._swish, *blocks[:n_blocks])
    with torch.no_grad():
        shape = front.eval()(torch.zeros(1, 3, whole.size, whole.size)).shape[1:]
    end = net._conv_head, net._bn1, net._swish
    pool = nn.AdaptiveAvgPool2d(1), nn.Flatten()
    tail = nn.Sequential(nn.Unflatten(1, tuple(shape)), *blocks[n_blocks:], *end, *pool)
    flat: Any = nn.Sequential(front, nn.Flatten())
    flat.reads, flat.size = "image", whole.size
    return flat, tail


def _placed(values: Array, rows: Array, n_rows: int) -> Array:
    """Return values at their rows among all."""
    found = np.zeros((n_rows, *values.shape[1:]), dtype=np.float32)
    found[rows] = values
    return found


@cache
def _errors_alone() -> str:
    """Return a folder where what a dataset achieves alone is kept for all its pairs."""
    return mkdtemp(prefix="datakin-canines-")


def draw_target(labels: Array, groups: Array, seed: int) -> tuple[Array, Array]:
    """Return rows of a target of the paper's size and of a balanced source from one set.

    Near duplicates stay on one side.
    """
    rng = np.random.default_rng(derive_seed(seed, "canines"))
    wanted = {"dogs": N_DOGS, "wolves": N_WOLVES}
    target: list[int] = []
    for label, n in wanted.items():
        chosen: list[int] = []
        for group in rng.permutation(np.unique(groups[labels == label])):
            rows = np.flatnonzero((groups == group) & (labels == label))
            if len(chosen) + len(rows) <= n:
                chosen += rows.tolist()
        target += chosen
    rest = np.setdiff1d(np.arange(len(labels)), target)
    rest = rest[~np.isin(groups[rest], groups[target])]
    least = min(int((labels[rest] == label).sum()) for label in wanted)
    source = [rng.permutation(rest[labels[rest] == label])[:least] for label in wanted]
    return np.sort(target), np.sort(np.concatenate(source))


def _rows(name: str, seed: int, most: int, data: Path | None) -> Array:
    """Return the rows of a source, at most so many of each class."""
    images, labels = _folder(name, SIZE, data)
    rows = np.arange(images.n_rows)
    if name == "dogs_wolves":
        assert images.groups is not None
        rows = draw_target(labels, images.groups, seed)[1]
    rng = np.random.default_rng(derive_seed(seed, "fewer", name))
    parts = [rng.permutation(rows[labels[rows] == c])[:most] for c in np.unique(labels)]
    return np.sort(np.concatenate(parts))


def _pair(cell: Row, seed: int, data: Path | None) -> list[Dataset]:
    """Return the target and a source, as the encoder's fixed part sees them."""
    from datakin.deep import as_items

    encoder, source = str(cell["encoder"]), str(cell["source"])
    images, labels = _folder("dogs_wolves", SIZE, data)
    assert images.groups is not None
    ours = draw_target(labels, images.groups, seed)[0]
    theirs = _rows(source, seed, MOST if encoder == FROZEN else FEWER, data)
    made = []
    for name, rows, classes, title in (
        ("dogs_wolves", ours, PAIRINGS["dogs_wolves"][0], "target"),
        (source, theirs, PAIRINGS[source][int(cell["pairing"])], source),
    ):
        images, labels = _folder(name, SIZE, data)
        groups = None if images.groups is None else images.groups[rows]
        X = _embedded(name, encoder, seed, data)[rows]
        made.append(as_items(X, labels[rows].tolist(), name=title, group=groups, classes=classes))
    return made


def _encoder(name: str, seed: int) -> Any:
    from datakin.deep import ResNet18, pretrained

    if name == FROZEN:
        return "identity"  # the embeddings are made once for all pairs
    if name == TUNED:
        whole: Any = pretrained("efficientnet_lite0", size=SIZE)
        return whole.split(BLOCKS)[1]
    return seeded(seed, lambda: ResNet18(width=16))


def _replicate(cell: Row, seed: int, data: Path | None = None) -> list[Row]:
    from datakin.deep import EncoderHeadScore, fine_tune_gain

    name = str(cell["encoder"])
    options = {**TRAINING[name], "random_state": seed}
    with few_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        pair = _pair(cell, seed, data)
        encoder = _encoder(name, seed)
        sizes = {"n_target": pair[0].n_rows, "n_source": pair[1].n_rows}
        if cell["measure"] == "gain":
            del options["repeats"]
            gain = fine_tune_gain(pair[0], pair[1], encoder, checkpoint=_errors_alone(), **options)
            found = gain.methods["fine-tune"]
            return [
                {
                    **sizes,
                    "target_rer": 100 * found.target_rer,
                    "target_rer_se": 100 * found.target_se,
                    "source_rer": 100 * found.source_rer,
                    "source_rer_se": 100 * found.source_se,
                    "average_rer": 100 * found.average_rer,
                    "target_error": gain.target_error,
                    "source_error": gain.source_error,
                }
            ]
        score = EncoderHeadScore(encoder, **options).compare(*pair)
    classes = PAIRINGS[str(cell["source"])][int(cell["pairing"])]
    return [
        {
            **sizes,
            "classes": ", ".join(f"{new}={old}" for old, new in classes.items()),
            "score": score.score,
            "low": score.interval[0],
            "high": score.interval[1],
            "zone": score.zone.code,
            "threshold": score.decision.high,
            "source_to_target": score.source_to_target,
            "target_to_source": score.target_to_source,
            "own_target": score.own_errors["target"],
            "own_source": score.own_errors[str(cell["source"])],
        }
    ]


SCORES = ["score", "low", "high", "threshold", "source_to_target", "target_to_source", "own_target",
          "own_source"]  # fmt: skip
GAINS = ["target_rer", "target_rer_se", "source_rer", "source_rer_se", "average_rer"]


def _summarise(rows: Any) -> Summary:
    parts: list[Row] = []
    scores, gains = (rows[rows["measure"] == m] for m in ("score", "gain"))
    for (encoder, source, _), part in scores.groupby(["encoder", "source", "pairing"], sort=False):
        row: Row = {"encoder": encoder, "source": source, "classes": part["classes"].iloc[0]}
        row |= {column: part[column].mean() for column in SCORES}
        row["zone"] = " ".join(part["zone"])
        fits = gains[(gains["encoder"] == encoder) & (gains["source"] == source)]
        row |= {column: fits[column].mean() if len(fits) else np.nan for column in GAINS}
        columns = ("paper_target_rer", "paper_source_rer", "paper_average_rer", "paper_zone")
        row |= dict(zip(columns, PAPER[source], strict=True))
        row["n_target"], row["n_source"] = (
            int(part["n_target"].iloc[0]),
            int(part["n_source"].iloc[0]),
        )
        parts.append(row)
    frame = pd.DataFrame(parts)
    shown = frame[["encoder", "source", "classes", "score", "low", "high", "zone", "own_target"]]
    shown = shown.assign(
        n=[f"{t} + {s}" for t, s in zip(frame["n_target"], frame["n_source"], strict=True)]
    )
    text = f"{_text(frame)}\n\n{markdown(shown)}\n\n{_rer_table(frame)}\n\n{torch_line()}"
    return Summary(frame, text)


def _rer_table(frame: Any) -> str:
    first = frame.groupby(["encoder", "source"], sort=False).head(1)
    first = first[first["target_rer"].notna()]

    def percent(value: float, error: float) -> str:
        return f"{value:+.1f} ({error:.1f})"

    table = pd.DataFrame(
        {
            "encoder": first["encoder"],
            "source": first["source"],
            "target RER %": [percent(*v) for v in first[GAINS[:2]].to_numpy()],
            "source RER %": [percent(*v) for v in first[GAINS[2:4]].to_numpy()],
            "average RER %": [f"{v:+.1f}" for v in first["average_rer"]],
            "paper's target, source, average RER %": [
                ", ".join(f"{v:+.1f}" for v in PAPER[source][:3]) for source in first["source"]
            ],
            "paper's zone": [PAPER[source][3] for source in first["source"]],
        }
    )
    return (
        "Relative error reduction by pretraining on the source (target RER) or on the target (source RER) "
        "and fine-tuning with a new head, 5-fold, standard errors in brackets; the pairing of classes "
        "does not matter to it:\n\n" + markdown(table)
    )


def _text(frame: Any) -> str:
    lines = []
    for encoder, part in frame.groupby("encoder", sort=False):
        nearest = part.loc[part["score"].idxmin()]
        others = part[part["source"] != "dogs_wolves"]["score"].min()
        is_first = nearest["source"] == "dogs_wolves"
        control = part[part["source"] == "dogs_wolves"]["score"].min()
        lines.append(
            f"- {encoder}: the control is {'closest' if is_first else 'NOT closest'} (score {control:.3f}; "
            f"nearest of the others {others:.3f})."
        )
        own = part["own_target"].mean()
        if own > GUESSING:
            lines[-1] += (
                f" Its error on the target ({own:.2f}) is no better than that of always saying wolf "
                f"({GUESSING:.2f}): it has learned nothing to transfer, and its scores tell little."
            )
    lines.append(_gains_in_words(frame))
    return (
        f"Target: {N_DOGS} dogs and {N_WOLVES} wolves drawn from dogs_wolves (near duplicates kept "
        f"together), because the paper's own target cannot be had; dogs_wolves as a source is the rest of "
        f"the same set, balanced, and so a control of the same distribution. Giraffes stand for camels. "
        f"cats_dogs is the paper's.\n\n"
        f"Encoders: EfficientNet-Lite0 (ImageNet's weights) at {SIZE} pixels, frozen (5 splits), or with "
        f"its first {BLOCKS} of 16 blocks frozen and the rest trained for at most "
        f"{TRAINING[TUNED]['epochs']} epochs (3 repeats); ResNet-18 with 16 channels from scratch at "
        f"{SMALL} pixels, at most {TRAINING[SCRATCH]['epochs']} epochs (3 repeats). The paper trains all of "
        f"a ResNet-18 with ImageNet's weights, 10 repeats, at a size it does not state. Sources are cut "
        f"to {MOST} images of each class, {FEWER} where an encoder is trained (the paper's have up to "
        f"1,000), to fit two cores without a GPU.\n\n"
        f"The dogs are ImageNet's own pictures and ImageNet has wolves among its classes: encoders trained "
        f"on it have seen the answer, here as in the paper, and errors are optimistic.\n\n"
        + "\n".join(lines)
    )


def _gains_in_words(frame: Any) -> str:
    """Say which sources gain or lose by more than two standard errors."""
    first = frame.groupby(["encoder", "source"], sort=False).head(1)
    first = first[first["target_rer"].notna()]
    by = first["target_rer"] / first["target_rer_se"]
    gain, loss = (
        ", ".join(f"{row.source} ({row.encoder})" for row in first[chosen].itertuples()) or "none"
        for chosen in (by > 2, by < -2)
    )
    paper = (
        " The paper's losses for the other sources are not reproduced." if loss == "none" else ""
    )
    return f"- Realised target RER beyond two standard errors: gain: {gain}; loss: {loss}.{paper}"


def _draw(frame: Any) -> Any:
    figure = blank_figure(7.0, 3.6)
    axis = figure.subplots()
    colours = dict(zip((FROZEN, TUNED, SCRATCH), ("blue", "green", "orange"), strict=True))
    frame = frame.assign(label=frame["source"] + "\n" + frame["classes"])
    labels = list(dict.fromkeys(frame["label"]))
    for k, (encoder, part) in enumerate(frame.groupby("encoder", sort=False)):
        places = np.array([labels[::-1].index(label) for label in part["label"]]) + 0.2 * (1 - k)
        reach = np.array([part["score"] - part["low"], part["high"] - part["score"]])
        axis.errorbar(part["score"], places, xerr=reach, fmt="o", ms=4, label=encoder,
                      color=COLOURS[colours[str(encoder)]])  # fmt: skip
        axis.plot(part["threshold"], places, "|", ms=9, color=COLOURS[colours[str(encoder)]])
    axis.axvline(0, color=INK, lw=0.8)
    axis.set_yticks(range(len(labels)), labels[::-1], fontsize=7)
    axis.set_xlabel("encoder-head score, 95% interval; stroke: threshold of negative transfer")
    axis.legend(loc="upper right")
    return figure


CANINES = Study(
    "canines",
    "Dogs and wolves: encoder-head score, zones and realised gain, beside the paper's.",
    [
        *(
            {"encoder": encoder, "source": source, "pairing": pairing, "measure": "score"}
            for encoder in (FROZEN, TUNED, SCRATCH)
            for source, pairings in PAIRINGS.items()
            for pairing in range(len(pairings))
        ),
        *(
            {"encoder": encoder, "source": source, "pairing": 0, "measure": "gain"}
            for encoder in (TUNED, SCRATCH)
            for source in PAIRINGS
        ),
    ],
    _replicate,
    _summarise,
    1,
    draw=_draw,
)
