"""Folders of images, decoded a batch at a time when an encoder needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from datakin._core.checks import check_choice, check_count
from datakin._core.exceptions import DatakinError, listed, require, warn
from datakin.data import Dataset
from datakin.data.columns.labels import canonical_label
from datakin.data.features import Array
from datakin.deep.items import Contents, hash_bytes
from datakin.deep.readers import check_task, make_items

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp")


@dataclass(frozen=True, eq=False)
class ImageContents(Contents):
    """Image files, decoded when a batch is loaded."""

    size: int
    channels: int
    kind = "image"

    def load(self, rows: Array) -> Array:
        """Return some images, shape (n, channels, size, size), values from 0 to 1."""
        return np.stack([decode(self.values[row], self.size, self.channels) for row in rows])

    def hashes(self) -> Array:
        """Return one hash per file, of its bytes."""
        return hash_bytes(file.read_bytes() for file in self.values)

    def sized(self, size: int | None) -> Contents:
        """Return the images with another edge in pixels."""
        return self if size is None else replace(self, size=size)


def decode(file: Path, size: int, channels: int) -> Array:
    """Return one image as floats from 0 to 1, shape (channels, size, size).

    The image is turned upright (EXIF), put on white if it is transparent, scaled so that its shorter
    side has `size` pixels, and cut to its centre.
    """
    Image, ImageOps = _pillow("Image"), _pillow("ImageOps")
    try:
        with Image.open(file) as opened:
            image = ImageOps.exif_transpose(opened)
            if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
                image = image.convert("RGBA")
                ground = Image.new("RGBA", image.size, (255, 255, 255, 255))
                image = Image.alpha_composite(ground, image)
            image = image.convert("L" if channels == 1 else "RGB")
            scale = size / min(image.size)
            width, height = (max(size, round(edge * scale)) for edge in image.size)
            if (width, height) != image.size:
                image = image.resize((width, height), Image.Resampling.BICUBIC)
            left, top = (width - size) // 2, (height - size) // 2
            pixels = np.asarray(image.crop((left, top, left + size, top + size)), dtype=np.float32)
    except (OSError, SyntaxError, ValueError) as error:  # what Pillow raises for damaged files
        raise DatakinError(f"The image {file} cannot be read ({error}).") from None
    return (pixels[None] if channels == 1 else pixels.transpose(2, 0, 1)) / np.float32(255)


def _pillow(module: str) -> Any:
    return require(f"PIL.{module}", "deep", "Reading images", package="Pillow")


def read_images(
    source: str | Path,
    *,
    classes: Mapping[str, Any] | None = None,
    group: str | None = None,
    name: str | None = None,
    size: int = 64,
    channels: int = 3,
    task: str = "auto",
    on_error: str = "raise",
) -> Dataset:
    """Read images from one subfolder per class, or from a list in an index file.

    Files are checked now and decoded when they are used, a batch at a time.

    Parameters
    ----------
    source : path
        A folder with one subfolder per class, or a csv file with the columns "file" (relative to
        it) and "label".
    classes : mapping of str to class, optional
        Which subfolders (labels) to read, and the class of each. Datasets are compared class by
        class: ``{"cats": 0, "dogs": 1}`` here and ``{"dogs": 0, "wolves": 1}`` there pairs cats
        with dogs.
    group : str, optional
        Column of the index file whose equal values (near duplicates, one animal) stay on one side
        of a split. A row without a value is a group of its own.
    name : str, optional
        The folder's name by default.
    size : int
        Edge in pixels for encoders that do not say which they need.
    channels : {3, 1}
        Colour or grey.
    task : {"auto", "binary", "multiclass", "regression"}
        "auto": subfolders are classes. Labels of an index file are classes too, except numbers with
        more than ten values, or with fractions and more than two values, which are a quantity.
    on_error : {"raise", "skip"}
        What to do about files that cannot be read: raise an error that names them, or leave them
        out with a warning.

    Returns
    -------
    Dataset
    """
    path = Path(source)
    check_task(task, classes)
    check_count("size", size, 1)
    if channels not in (1, 3):
        raise DatakinError(f"The 'channels' parameter must be 3 or 1. Got {channels!r} instead.")
    check_choice("on_error", on_error, ("raise", "skip"))
    place = Path(os.path.abspath(path))  # "." has no name
    if path.is_dir():
        if group is not None:
            raise DatakinError(
                "group names a column of an index file. Got a folder; pass its index.csv instead."
            )
        images, title = _list_folder(path), place.name
        task = "multiclass" if task == "auto" else task  # even if folders are called 1, 2, ...
    else:
        images = _read_index(path, group)
        title = place.parent.name if path.stem == "index" else path.stem
    known = {image.label for image in images}
    if classes is not None:
        images = _choose(images, classes, path)
    if task != "regression":
        _check_classes({image.label for image in images}, known, path)
    images = _readable(images, on_error)
    return make_items(
        ImageContents(np.array([image.file for image in images]), size, channels),
        [image.label for image in images],
        name=name or title,
        task=task,
        group=None if group is None else [image.group for image in images],
        classes=classes,
    )


class _Image(NamedTuple):
    """A file with its label and, where there is one, its group."""

    file: Path
    label: str
    group: str | None = None


def _list_folder(path: Path) -> list[_Image]:
    folders = sorted(p for p in path.iterdir() if p.is_dir() and not p.name.startswith("."))
    found = [
        _Image(file, folder.name)
        for folder in folders
        for file in sorted(folder.rglob("*"))
        if file.suffix.lower() in SUFFIXES
    ]
    if not found:
        raise DatakinError(
            f"A folder of images must have one subfolder per class with images in it. "
            f"{path} has {len(folders)} subfolder(s) and no image there."
        )
    return found


def _read_index(path: Path, group: str | None) -> list[_Image]:
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DatakinError(
            f"Images come from a folder or from a csv file that lists them. {path} is neither ({error})."
        ) from None
    for column in ("file", "label", *([group] if group else [])):
        if column not in table.columns:
            raise DatakinError(
                f"The index of images must have the column {column!r}. {path} has {listed(table.columns)}."
            )
    groups = [None] * len(table) if group is None else [value or None for value in table[group]]
    return [
        _Image(path.parent / file, label, own)
        for file, label, own in zip(table["file"], table["label"], groups, strict=True)
    ]


def _choose(images: list[_Image], classes: Mapping[str, Any], path: Path) -> list[_Image]:
    """Return the images whose label is among the classes."""
    chosen = {canonical_label(name) for name in classes}
    labels = [canonical_label(image.label) for image in images]
    absent = sorted(chosen - set(labels))
    if absent:
        known = sorted({image.label for image in images})
        raise DatakinError(
            f"The 'classes' parameter must name classes of {path}: {listed(known)}. "
            f"Got {listed(absent)}."
        )
    return [image for image, label in zip(images, labels, strict=True) if label in chosen]


def _check_classes(found: set[str], known: set[str], path: Path) -> None:
    if len(found) > 1:
        return
    names, rest = listed(sorted(found)) or "none", known - found
    if rest:
        raise DatakinError(
            f"A dataset must have at least two classes. The 'classes' parameter names {names} and leaves "
            f"out {listed(sorted(rest))} of {path}; name at least two."
        )
    advice = "put each class into a subfolder of its own"
    if not path.is_dir():
        advice = "name the class of each in the column 'label'"
    raise DatakinError(
        f"A dataset must have at least two classes. {path} has images of {names} only; {advice}."
    )


def _readable(images: list[_Image], on_error: str) -> list[_Image]:
    """Return the images that can be decoded; the others are an error or left out."""
    Image = _pillow("Image")
    faults: dict[int, str] = {}
    for i, (file, _, _) in enumerate(images):
        try:
            with Image.open(file) as opened:
                opened.load()  # the header of a truncated file is still fine
        except (OSError, SyntaxError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if type(error).__name__ == "UnidentifiedImageError":
                reason = "not an image"
            faults[i] = f"{file.parent.name}/{file.name} ({reason})"
    if not faults:
        return images
    names = listed(faults.values(), limit=10)
    text = f"{len(faults)} of {len(images)} images cannot be read: {names}"
    if on_error == "raise":
        raise DatakinError(f"{text}. Repair them, or leave them out with on_error='skip'.")
    warn(f"{text}; left out.")
    return [image for i, image in enumerate(images) if i not in faults]
