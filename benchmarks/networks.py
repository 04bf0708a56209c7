"""Encoder-head scores: embeddings of images and texts, and joint training."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_digits
from timing import clock

from datakin.deep import EncoderHeadScore, ResNet18, as_items, pretrained, read_images, read_texts

WORDS = (
    "the",
    "ward",
    "was",
    "clean",
    "nobody",
    "told",
    "us",
    "when",
    "a",
    "doctor",
    "would",
    "come",
)


def draw_folders(place, n, rng):
    """Write two folders of photographs' size, 500 x 375 pixels, with coarse colours as photographs have."""
    made = []
    for name in ("here", "there"):
        for kind in ("a", "b"):
            folder = place / name / kind
            folder.mkdir(parents=True)
            for k in range(n // 4):
                coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), dtype=np.uint8))
                coarse.resize((500, 375), Image.Resampling.BICUBIC).save(folder / f"{k}.jpg")
        made.append(place / name)
    return made


def texts(n, rng):
    def draw(name):
        lines = [" ".join(rng.choice(WORDS, 15)) for _ in range(n // 2)]
        frame = pd.DataFrame({"text": lines, "y": rng.integers(2, size=n // 2)})
        return read_texts(frame, text="text", label="y", name=name)

    return [draw("here"), draw("there")]


def digits(n):
    found = load_digits()
    images = np.kron(found.images / 16, np.ones((2, 2)))[:, None].astype(np.float32)
    halves = (images[:n], found.target[:n]), (images[-n:], found.target[-n:])
    names = ("first writers", "last writers")
    return [
        as_items(*half, name=k, task="multiclass") for half, k in zip(halves, names, strict=True)
    ]


def networks(quick=False):
    rng = np.random.default_rng(0)
    n = 40 if quick else 2000
    frozen = {"freeze": True, "repeats": 5}
    rows = []

    def time(what, encoder, load, **options):
        method = EncoderHeadScore(encoder, random_state=0, **options)
        cpu, wall = clock(lambda: method.compare(*load()))
        rows.append((what, f"{cpu:.0f}", f"{wall:.0f}"))
        print(*rows[-1], sep="  ", flush=True)

    with tempfile.TemporaryDirectory() as place:
        made = draw_folders(Path(place), n, rng)
        time(f"{n:,} JPEGs of 500x375, EfficientNet-Lite0 at 128 pixels, frozen, 5 splits",
             pretrained("efficientnet_lite0", size=128),
             lambda: [read_images(folder, size=128) for folder in made], **frozen)  # fmt: skip
    written = texts(n, rng)
    time(f"{n:,} texts of 15 words, MiniLM, frozen, 5 splits", pretrained("minilm"), lambda: written,
         **frozen)  # fmt: skip
    net, some = ResNet18(channels=1, width=8, small=True), digits(200 if quick else 800)
    time(f"{2 * some[0].n_rows:,} digits of 16x16, ResNet-18 with 8 channels trained on both, 10 epochs",
         net, lambda: some, epochs=10, batch_size=64, lr=2e-3, repeats=1)  # fmt: skip
    return rows, ["comparison", "CPU s", "wall s"]
