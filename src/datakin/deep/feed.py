"""From datasets to batches: what an encoder is fed with, the same for both of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.deep.items import ArrayContents, Contents, Items, as_items, contents_of

__all__ = ["Feed", "coerce_items", "collect_items", "make_feeds"]


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


def coerce_items(data: Any, name: str) -> Dataset:
    """Return a Dataset for a Dataset or a pair (X, y), naming it when it has no name."""
    if isinstance(data, Dataset):
        return data if data.name else data.renamed(name)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        return as_items(data[0], data[1], name=name)
    raise DatakinError(
        f"A dataset must be a Dataset or a pair (X, y). Got {type(data).__name__}; read images with "
        f"datakin.deep.read_images(folder), texts with read_texts, tables with datakin.read_table."
    )


def collect_items(data: Any, stem: str) -> list[Dataset]:
    """Return the datasets of a list or mapping; a mapping's keys are their names."""
    if isinstance(data, dict):
        return [coerce_items(d, str(name)).renamed(str(name)) for name, d in data.items()]
    if isinstance(data, (list, tuple)):
        return [coerce_items(d, f"{stem} {i}") for i, d in enumerate(data, start=1)]
    raise DatakinError(
        f"Several datasets must come as a list, or as a mapping of name to dataset. "
        f"Got {type(data).__name__}."
    )


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
        raise DatakinError(
            f"Rows of both datasets must have the same shape. {datasets[0].name!r} has {shapes[0]}, "
            f"{datasets[-1].name!r} has {shapes[-1]}; read both with the same size and channels."
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
