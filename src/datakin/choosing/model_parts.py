"""The fitted parts of a model as plain values and numbers, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin._core.json_text import PlainFields
from datakin.choosing.archive import Archive
from datakin.choosing.estimators import LARGEST, dump_estimator, load_estimator
from datakin.choosing.trees import FORMS, checked_trees, trees_of
from datakin.data.features import Array
from datakin.learners.encoding import TableEncoder
from datakin.learners.foreign import ForeignPredictor
from datakin.learners.predictors import (
    ConstantPredictor,
    KernelPredictor,
    LinearPredictor,
    PlainTrees,
    TreePredictor,
)
from datakin.learners.scaling import Scaler

TEXT = 1 << 24  # Bytes of the trees of one part in a file of format 1.
ROWS = 1 << 20  # Rows of a kernel, or nodes of the trees of a part.
SCALING = ("medians", "centers", "scales")  # As a scaler takes them.
NUMBERS = "<f8"  # How arrays are written that are none of trees: 64 bits, the lowest byte first.
FOREIGN = ("scikit-learn", "scikit-learn-names", "scikit-learn-raw")
TYPES = ("linear", "kernel", "trees", "constant", *FOREIGN)


class PartWriter:
    """Fitted predictors -> plain values, and members of a file.

    Parameters
    ----------
    n_columns, n_outputs : int
        Of the matrix, and of the predictions.

    Attributes
    ----------
    members : dict of str to bytes
    """

    def __init__(self, n_columns: int, n_outputs: int) -> None:
        self.n_columns, self.n_outputs = n_columns, n_outputs
        self.members: dict[str, bytes] = {}

    def write(self, number: int, part: tuple[str, str, float, Any]) -> dict[str, Any]:
        """Return one part of a stack as plain values."""
        learner, rows, weight, fitted = part
        self.at = f"parts/{number}"
        plain = self._predictor(learner, fitted)
        return {"learner": learner, "rows": rows, "weight": float(weight), **plain}

    def _predictor(self, learner: str, fitted: Any) -> dict[str, Any]:
        match fitted:
            case LinearPredictor():
                arrays = self._arrays(**vars(fitted.scaler), coefficients=fitted.coefficients)
                return {"type": "linear", **arrays}
            case KernelPredictor():
                return {
                    "type": "kernel",
                    **self._arrays(**vars(fitted.scaler)),
                    "width": float(fitted.width),
                    "constant": float(fitted.constant),
                    **self._arrays(points=fitted.centers, coefficients=fitted.coefficients),
                }
            case TreePredictor():
                trees, size = fitted.booster, (self.n_columns, self.n_outputs)
                if not isinstance(trees, PlainTrees):
                    arrays = trees_of(trees.save_raw("json"), fitted.kind, *size)
                    trees = PlainTrees(arrays, fitted.kind)
                units = {"shift": float(fitted.shift), "scale": float(fitted.scale)}
                return {"type": "trees", **self._arrays(**trees.arrays), **units}
            case ConstantPredictor():
                return {"type": "constant", "values": fitted.values.tolist()}
            case ForeignPredictor():
                content = dump_estimator(fitted.estimator, learner)
                is_raw = fitted.takes_table
                return {
                    "type": FOREIGN[2 if is_raw else bool(fitted.columns)],
                    "member": self._member("estimator.skops", content),
                    "present": [int(code) for code in fitted.present],
                    **({} if is_raw else self._arrays(medians=fitted.medians)),
                }
        name = type(fitted).__name__
        raise DatakinError(
            f"A predictor of the type {name} cannot be saved. The types are {listed(TYPES)}."
        )

    def _arrays(self, **arrays: Array) -> dict[str, Any]:
        plain = {}
        for name, values in arrays.items():
            numbers = np.ascontiguousarray(values, dtype=FORMS.get(name, NUMBERS))
            ending = f"{numbers.dtype.kind}{8 * numbers.itemsize}"
            member = self._member(f"{name}.{ending}", numbers.tobytes())
            plain[name] = {"member": member, "shape": list(numbers.shape)}
        return plain

    def _member(self, name: str, content: bytes) -> str:
        self.members[f"{self.at}/{name}"] = content
        return f"{self.at}/{name}"


class PartReader:
    """Plain values and members of a file -> fitted predictors, every number checked.

    Parameters
    ----------
    archive : Archive
    kind : {"binary", "multiclass", "regression"}
    encoder : TableEncoder
    n_outputs : int
        Number of columns of the predictions.

    Attributes
    ----------
    used : set of str
        Members that were read.
    """

    def __init__(self, archive: Archive, kind: str, encoder: TableEncoder, n_outputs: int) -> None:
        self.archive, self.kind, self.encoder = archive, kind, encoder
        self.n_columns, self.n_outputs = len(encoder.names), n_outputs
        self.used: set[str] = set()

    def read(self, part: PlainFields) -> tuple[str, str, float, Any]:
        """Return one part of a stack."""
        learner, rows = part.text("learner"), part.text("rows")
        weight = part.number("weight", 0, 1)
        fitted = self._predictor(part, part.choice("type", TYPES))
        part.done()
        return learner, rows, weight, fitted

    def _predictor(self, part: PlainFields, of_type: str) -> Any:
        match of_type:
            case "linear":
                shape = (self.n_outputs, self.n_columns + 1)
                scaler, coefficients = self._scaler(part), self._array(part, "coefficients", shape)
                return LinearPredictor(scaler, coefficients, self.kind)
            case "kernel":
                scaler = self._scaler(part)
                width, constant = part.number("width"), part.number("constant")
                if width <= 0:
                    raise DatakinError(f"width of {part.where} must be above 0. Got {width}.")
                points = self._array(part, "points", (None, self.n_columns))
                coefficients = self._array(part, "coefficients", (len(points), self.n_outputs))
                return KernelPredictor(scaler, points, coefficients, width, constant, self.kind)
            case "trees":
                trees = PlainTrees(self._trees(part), self.kind)
                return TreePredictor(trees, self.kind, part.number("shift"), part.number("scale"))
            case "constant":
                return ConstantPredictor(np.array(part.numbers("values", self.n_outputs)))
        return self._foreign(part, of_type)

    def _trees(self, part: PlainFields) -> dict[str, Array]:
        size = (self.n_columns, self.n_outputs)
        if "member" in part.left:  # as format 1 has it
            return trees_of(self._member(part.text("member"), TEXT), self.kind, *size)
        arrays = {name: self._array(part, name, (None,)) for name in FORMS}
        return checked_trees(arrays, *size, part.where)

    def _foreign(self, part: PlainFields, of_type: str) -> ForeignPredictor:
        takes_table, encoder = of_type == "scikit-learn-raw", self.encoder
        of_table = (*encoder.numeric_names, *encoder.category_names)
        columns = dict(zip(FOREIGN, ((), encoder.names, of_table), strict=True))[of_type]
        medians = np.zeros(0) if takes_table else self._array(part, "medians", (self.n_columns,))
        estimator, codes = self._estimator(part)
        made = (self.n_outputs, self.kind, medians, "", columns, takes_table)
        fitted = ForeignPredictor(estimator, codes, *made)
        if takes_table:  # It is not tried: it need not take rows of which nothing is known.
            return fitted
        try:
            outputs = fitted.predict(np.full((2, self.n_columns), np.nan))
            if outputs.shape != (2, self.n_outputs) or not np.isfinite(outputs).all():
                raise ValueError("it predicts no numbers")
        except Exception as error:  # whatever a damaged estimator raises
            raise DatakinError(
                f"the estimator of {part.where} cannot predict ({str(error)[:100]})"
            ) from None
        return fitted

    def _estimator(self, part: PlainFields) -> tuple[Any, Array]:
        """Return an estimator, and the codes of the classes that it knows."""
        n_classes = {"binary": 2, "multiclass": self.n_outputs}.get(self.kind, 0)
        present = part.items("present", n_classes)
        is_code = all(type(v) is int and 0 <= v < n_classes for v in present)
        if not is_code or len(set(present)) < len(present) or bool(n_classes) != bool(present):
            raise DatakinError(f"present of {part.where} must be codes of classes.")
        estimator = load_estimator(self._member(part.text("member"), LARGEST))
        return estimator, np.array(present, dtype=np.int64)

    def _scaler(self, part: PlainFields) -> Scaler:
        scaling = (self._array(part, name, (self.n_columns,)) for name in SCALING)
        return _checked(Scaler(*scaling), part.where)

    def _array(self, part: PlainFields, name: str, shape: tuple[int | None, ...]) -> Array:
        """Return numbers of a shape; None stands for a length that the file says."""
        where = f"{name} of {part.where}"
        given = part.object(name)
        lengths = given.items("shape", 2)
        fits = len(lengths) == len(shape) and all(
            type(n) is int and 0 <= n <= 2**31 and wanted in (None, n)
            for n, wanted in zip(lengths, shape, strict=True)
        )
        if not fits:
            wanted = " x ".join("n" if n is None else str(n) for n in shape)
            raise DatakinError(f"{where} must have the shape {wanted}.")
        if None in shape and not 0 < lengths[0] <= ROWS:
            raise DatakinError(f"{where} must have 1 to {ROWS:,} rows.")
        form = np.dtype(FORMS.get(name, NUMBERS))
        size = math.prod(lengths) * form.itemsize
        content = self._member(given.text("member"), size)
        given.done()
        if len(content) != size:
            raise DatakinError(f"{where} must have {size:,} bytes.")
        values = np.frombuffer(content, form).astype(form.newbyteorder("=")).reshape(lengths)
        if not np.isfinite(values).all():
            raise DatakinError(f"{where} must hold finite numbers.")
        return values

    def _member(self, name: str, most: int) -> bytes:
        if name in self.used:
            raise DatakinError(f"its member {name!r} is used twice")
        self.used.add(name)
        return self.archive.read(name, most)


def plain_encoder(encoder: TableEncoder) -> dict[str, Any]:
    """Return an encoder as plain values."""
    categories = zip(encoder.category_names, encoder.levels, strict=True)
    return {
        "numbers": list(encoder.numeric_names),
        **{name: getattr(encoder.scaler, name).tolist() for name in SCALING},
        "categories": [{"name": name, "levels": list(levels)} for name, levels in categories],
    }


def encoder_of(plain: PlainFields) -> TableEncoder:
    """Return the encoder of a file."""
    numbers = plain.different_texts("numbers")
    scaling = (np.array(plain.numbers(name, len(numbers)), dtype=float) for name in SCALING)
    scaler = _checked(Scaler(*scaling), "the encoder")
    names, levels = [], []
    for category in plain.objects("categories"):
        names.append(category.text("name"))
        items = category.items("levels")
        if not all(v is None or isinstance(v, str) for v in items) or len(set(items)) < len(items):
            raise DatakinError(f"levels of {category.where} must be different texts.")
        levels.append(tuple(items))
        category.done()
    plain.done()
    if len({*numbers, *names}) < len(numbers) + len(names):
        raise DatakinError("The encoder names a column twice.")
    return TableEncoder(numbers, scaler, tuple(names), tuple(levels))


def _checked(scaler: Scaler, where: str) -> Scaler:
    if not (scaler.scales > 0).all():
        raise DatakinError(f"scales of {where} must be above 0.")
    return scaler
