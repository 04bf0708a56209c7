"""A fitted model in one file: JSON and plain numbers in a zip. Nothing is ever run.

The format is written down in the documentation, on the page "The file of a model". Every value of a file
is checked before it is used; sizes are limited whatever the headers say.
"""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin._core.files import check_file, written_whole
from datakin._core.json_text import PlainFields, parse_json
from datakin._core.repeatability import versions
from datakin.choosing.archive import Archive, packed
from datakin.choosing.card import ModelCard
from datakin.choosing.labels import LABEL_TYPES
from datakin.choosing.model import KinModel
from datakin.choosing.model_parts import PartReader, PartWriter, encoder_of, plain_encoder
from datakin.data.dataset import TASKS, task_of
from datakin.data.schema import TableSchema
from datakin.learners.predictors import StackPredictor
from datakin.results.record import DAMAGE

FORMAT = 2  # raised when a block would not do: an earlier version refuses the file as a whole
MAIN = "model.json"
BLOCK = re.compile("[a-z][a-z0-9_]{0,39}")  # the name of a block
UPDATE = "update: pip install -U datakin"
TEXT = 1 << 24  # bytes of model.json
PARTS = 2000
OUTPUTS = 1000


def save_model(model: KinModel, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a fitted model to a file, by convention ``NAME.datakin``.

    The file holds numbers, names of columns and classes, frequent levels of text columns, and, where the
    model has a kernel, standardised rows of the tables it was learned from. It holds no code.

    Parameters
    ----------
    model : KinModel
    path : path-like
    overwrite : bool
        Replace a file that is already there.
    """
    where = check_file(path, "The model file", overwrite=overwrite)
    content = model_bytes(model)
    try:
        with written_whole(where) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise DatakinError(
            f"The model file {str(where)!r} could not be written: {error.strerror or error}."
        ) from None


def load_model(path: str | os.PathLike[str]) -> KinModel:
    """Return a model that `datakin choose` or ``choice.save`` wrote.

    Nothing is executed: only plain numbers are read, and every one is checked.

    Parameters
    ----------
    path : path-like
        A .datakin file.

    Returns
    -------
    KinModel
        With ``predict``, ``predict_proba``, ``score`` and ``card``.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise DatakinError(f"A model is loaded from a path. Got {type(path).__name__}.")
    where = Path(path)
    if where.is_dir():
        raise DatakinError(f"A model is a file. Got the folder {str(where)!r}.")
    if not where.exists():
        raise DatakinError(f"The model file {str(where)!r} is not there.")
    if not where.is_file():
        raise DatakinError(f"A model is a file on disk. Got {str(where)!r}.")
    try:
        with open(where, "rb") as stream:
            return _read(stream)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DatakinError(f"The model file {str(where)!r} could not be read: {reason}.") from None
    except DatakinError as error:
        text = str(error).rstrip(".")
        raise DatakinError(f"{str(where)!r} is no model file that can be used: {text}.") from None


def model_bytes(model: KinModel) -> bytes:
    """Return the content of a model's file; the same model gives the same bytes."""
    stack = model.stack
    n_outputs = max(1, len(stack.classes)) if stack.kind == "multiclass" else 1
    writer = PartWriter(len(model.encoder.names), n_outputs)
    about = {
        "format": FORMAT,
        "datakin": versions().get("datakin", ""),
        "task": stack.kind,
        "classes": list(stack.classes),
        "label_type": model.label_type,
        "shares": [float(share) for share in stack.shares],
        "schema": model.schema.to_dict(),
        "encoder": plain_encoder(model.encoder),
        "parts": [writer.write(i, part) for i, part in enumerate(stack.parts)],
        "card": model.card.to_dict(),
        "blocks": {},
    }
    try:
        text = json.dumps(about, indent=1, allow_nan=False).encode()
    except ValueError:
        raise DatakinError("A model must hold finite numbers. Got one that is not.") from None
    content = packed({MAIN: text, **writer.members})
    try:
        _read(io.BytesIO(content))  # What is saved can be loaded.
    except DatakinError as error:
        raise DatakinError(f"The model cannot be saved: {error}") from None
    return content


def _read(stream: BinaryIO) -> KinModel:
    try:
        return _model(Archive(stream))
    except DatakinError:
        raise
    except DAMAGE as error:
        reason = f"{type(error).__name__}: {str(error)[:100]}"
        raise DatakinError(f"it is damaged ({reason})") from None


def _model(archive: Archive) -> KinModel:
    if MAIN not in archive.names:
        raise DatakinError(f"it has no member {MAIN!r}")
    plain = PlainFields(parse_json(archive.read(MAIN, TEXT)), MAIN)
    number = plain.whole("format", 1, 2**53)
    by = plain.text("datakin")[:20]
    if number > FORMAT:
        raise DatakinError(f"it was made by a newer version of datakin ({by}); {UPDATE}")
    skipped = _blocks(plain) if number > 1 else ()
    kind = plain.choice("task", TASKS)
    classes = plain.different_texts("classes")
    if task_of(classes) != kind or len(classes) in (1, *range(OUTPUTS + 1, len(classes) + 1)):
        raise DatakinError(f"a {kind} model cannot have {len(classes)} classes")
    label_type = plain.choice("label_type", tuple(LABEL_TYPES))
    shares = plain.numbers("shares")
    if len(shares) not in (0, len(classes)) or any(not 0 <= share <= 1 for share in shares):
        raise DatakinError("shares must be one for each class, from 0 to 1, or none")
    schema = TableSchema.from_dict(plain.object("schema"))
    encoder = encoder_of(plain.object("encoder"))
    card = ModelCard.from_dict(plain.object("card"))
    n_outputs = len(classes) if kind == "multiclass" else 1
    reader = PartReader(archive, kind, encoder, n_outputs)
    parts = tuple(reader.read(part) for part in plain.objects("parts", PARTS))
    plain.done()
    extra = [name for name in archive.names - {MAIN, *reader.used} if not name.startswith(skipped)]
    if extra:
        raise DatakinError(f"it has members that belong to nothing ({min(extra)!r})")
    stack = StackPredictor(parts, kind, classes, np.array(shares))
    return KinModel(schema, encoder, stack, card, label_type=label_type)


def _blocks(plain: PlainFields) -> tuple[str, ...]:
    """Return how members of blocks begin, all of which can be skipped; this version knows no block."""
    blocks = plain.object("blocks")
    names = tuple(blocks.left)
    if odd := [name for name in names if not BLOCK.fullmatch(name)]:
        raise DatakinError(f"it has a block with an odd name ({odd[0][:60]!r})")
    if needed := [name for name in names if blocks.object(name).truth("required")]:
        raise DatakinError(
            f"it has required blocks that this version of datakin does not know ({listed(needed)}), without "
            f"which it would predict something else; {UPDATE}"
        )
    return tuple(f"blocks/{name}/" for name in names)
