"""From datasets to batches: what an encoder is fed with, the same for both of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.deep.contents import ArrayContents, Contents
from datakin.deep.items import Items, contents_of

__all__ = ["Feed", "make_feeds"]


@dataclass(frozen=True, eq=False)
class Feed:
    """Batches of one dataset.

    Attributes
    ----------
    contents : Contents
    size : int or None
        Edge of images, where the encoder says so.
    """

    contents: Contents
    size: int | None

    def load(self, rows: Array) -> Any:
        """Return some rows: an array, or a list of texts."""
        return self.contents.load(rows, self.size)

    def __len__(self) -> int:
        return len(self.contents)


def make_feeds(datasets: Sequence[Dataset], columns: tuple[str, ...], encoder: Any) -> list[Feed]:
    """Return a feed for each of two datasets, or say why one encoder cannot read both.

    Parameters
    ----------
    datasets : sequence of Dataset
    columns : tuple of str
        What they share.
    encoder : object
        A module may say which edge its images have (``size``) and what it reads (``reads``).
    """
    if len({d.columns for d in datasets}) == 1:
        columns = datasets[0].columns  # in the user's order: an encoder may count on it
    size, reads = getattr(encoder, "size", None), getattr(encoder, "reads", None)
    feeds = [Feed(_contents(d, columns), size if isinstance(size, int) else None) for d in datasets]
    for dataset, feed in zip(datasets, feeds, strict=True):
        kind = feed.contents.kind
        if reads is not None and kind != reads:
            raise DatakinError(
                f"This encoder reads {reads}s. {dataset.name!r} holds {kind}s; give each kind an encoder "
                f"of its own."
            )
    shapes = [np.shape(feed.load(np.arange(1)))[1:] for feed in feeds]
    if shapes[0] != shapes[-1]:
        are_images = feeds[0].contents.kind == "image"
        advice = "read both with the same size and channels" if are_images else "bring both to one"
        raise DatakinError(
            f"Rows of both datasets must have the same shape. {datasets[0].name!r} has {shapes[0]}, "
            f"{datasets[-1].name!r} has {shapes[-1]}; {advice}."
        )
    return feeds


def _contents(dataset: Dataset, columns: tuple[str, ...]) -> Contents:
    features = dataset.features
    if isinstance(features, Items):
        return contents_of(dataset)
    chosen = features.select(columns)
    if chosen.category_names:
        raise DatakinError(
            f"An encoder reads numbers. {dataset.name!r} has text columns, {listed(chosen.category_names)}; "
            f"leave them out, or read one of them with datakin.deep.read_texts."
        )
    values = chosen.numeric.toarray() if chosen.is_sparse else chosen.numeric
    missing = np.isnan(values).any(axis=0)
    if missing.any():
        names = [name for name, gap in zip(chosen.numeric_names, missing, strict=True) if gap]
        raise DatakinError(
            f"An encoder reads numbers without gaps. {dataset.name!r} has missing values in "
            f"{listed(names)}; fill them in first."
        )
    # In the order of `columns`: `select` keeps the order of each kind as given.
    return ArrayContents(values)
