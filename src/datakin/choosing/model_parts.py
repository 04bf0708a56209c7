"""The fitted parts of a model as plain values and numbers, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin._core.plain_fields import PlainFields
from datakin.choosing.archive import Archive
from datakin.choosing.estimators import LARGEST, dump_estimator, load_estimator
from datakin.choosing.tree_text import booster_of, tree_text
from datakin.data.features import Array
from datakin.learners.encoding import TableEncoder
from datakin.learners.estimators import ForeignPredictor
from datakin.learners.predictors import (
    ConstantPredictor,
    KernelPredictor,
    LinearPredictor,
    TreePredictor,
)
from datakin.learners.scaling import Scaler

__all__ = ["PartReader", "PartWriter", "encoder_of", "plain_encoder"]

TEXT = 1 << 24  # bytes of the trees of one part
ROWS = 1 << 20  # rows that a kernel may have
NUMBERS = "<f8"  # how numbers are written: 64 bits, the lowest byte first
TYPES = ("linear", "kernel", "trees", "constant", "scikit-learn")


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
        at = f"parts/{number}"
        return {
            "learner": learner,
            "rows": rows,
            "weight": float(weight),
            **self._predictor(at, learner, fitted),
        }

    def _predictor(self, at: str, learner: str, fitted: Any) -> dict[str, Any]:
        match fitted:
            case LinearPredictor():
                return {
                    "type": "linear",
                    **self._scaler(at, fitted.scaler),
                    "coefficients": self._array(f"{at}/coefficients.f64", fitted.coefficients),
                }
            case KernelPredictor():
                return {
                    "type": "kernel",
                    **self._scaler(at, fitted.scaler),
                    "width": float(fitted.width),
                    "constant": float(fitted.constant),
                    "points": self._array(f"{at}/points.f64", fitted.centers),
                    "coefficients": self._array(f"{at}/coefficients.f64", fitted.coefficients),
                }
            case TreePredictor():
                text = tree_text(fitted.booster, fitted.kind, self.n_columns, self.n_outputs)
                self.members[f"{at}/trees.json"] = text
                return {
                    "type": "trees",
                    "member": f"{at}/trees.json",
                    "shift": float(fitted.shift),
                    "scale": float(fitted.scale),
                }
            case ConstantPredictor():
                return {"type": "constant", "values": _floats(fitted.values)}
            case ForeignPredictor():
                content = dump_estimator(fitted.estimator, learner)
                self.members[f"{at}/estimator.skops"] = content
                return {
                    "type": "scikit-learn",
                    "member": f"{at}/estimator.skops",
                    "present": [int(code) for code in fitted.present],
                    "medians": self._array(f"{at}/medians.f64", fitted.medians),
                }
        raise DatakinError(
            f"A predictor of the type {type(fitted).__name__} cannot be saved. The types are "
            f"{listed(TYPES)}."
        )

    def _scaler(self, at: str, scaler: Scaler) -> dict[str, Any]:
        return {
            name: self._array(f"{at}/{name}.f64", getattr(scaler, name))
            for name in ("medians", "centers", "scales")
        }

    def _array(self, name: str, values: Array) -> dict[str, Any]:
        made = np.ascontiguousarray(values, dtype=NUMBERS)
        self.members[name] = made.tobytes()
        return {"member": name, "shape": list(made.shape)}


class PartReader:
    """Plain values and members of a file -> fitted predictors, every number checked.

    Parameters
    ----------
    archive : Archive
    kind : {"binary", "multiclass", "regression"}
    n_columns, n_outputs : int
        Of the matrix, and of the predictions.

    Attributes
    ----------
    used : set of str
        Members that were read.
    """

    def __init__(self, archive: Archive, kind: str, n_columns: int, n_outputs: int) -> None:
        self.archive, self.kind = archive, kind
        self.n_columns, self.n_outputs = n_columns, n_outputs
        self.used: set[str] = set()

    def read(self, each: PlainFields) -> tuple[str, str, float, Any]:
        """Return one part of a stack."""
        learner, rows = each.text("learner"), each.text("rows")
        weight = each.number("weight", 0, 1)
        kind = each.choice("type", TYPES)
        read = getattr(self, f"_{kind.replace('-', '_')}")
        fitted = read(each)
        each.done()
        return learner, rows, weight, fitted

    def _linear(self, each: PlainFields) -> LinearPredictor:
        scaler = self._scaler(each)
        coefficients = self._array(each, "coefficients", (self.n_outputs, self.n_columns + 1))
        return LinearPredictor(scaler, coefficients, self.kind)

    def _kernel(self, each: PlainFields) -> KernelPredictor:
        scaler = self._scaler(each)
        width, constant = each.number("width"), each.number("constant")
        if width <= 0:
            raise DatakinError(f"width of {each.where} must be above 0. Got {width}.")
        points = self._array(each, "points", (None, self.n_columns))
        coefficients = self._array(each, "coefficients", (len(points), self.n_outputs))
        return KernelPredictor(scaler, points, coefficients, width, constant, self.kind)

    def _trees(self, each: PlainFields) -> TreePredictor:
        content = self._member(each.text("member"), TEXT)
        booster = booster_of(content, self.kind, self.n_columns, self.n_outputs)
        return TreePredictor(booster, self.kind, each.number("shift"), each.number("scale"))

    def _constant(self, each: PlainFields) -> ConstantPredictor:
        return ConstantPredictor(np.array(each.numbers("values", self.n_outputs)))

    def _scikit_learn(self, each: PlainFields) -> ForeignPredictor:
        n_classes = {"binary": 2, "multiclass": self.n_outputs}.get(self.kind, 0)
        present = each.items("present", n_classes)
        wrong = [v for v in present if type(v) is not int or not 0 <= v < n_classes]
        if wrong or len(set(present)) < len(present) or bool(n_classes) != bool(present):
            raise DatakinError(f"present of {each.where} must be codes of classes.")
        medians = self._array(each, "medians", (self.n_columns,))
        estimator = load_estimator(self._member(each.text("member"), LARGEST))
        found = ForeignPredictor(
            estimator, np.array(present, dtype=np.int64), self.n_outputs, self.kind, medians
        )
        try:
            tried = found.predict(np.full((2, self.n_columns), np.nan))
            if tried.shape != (2, self.n_outputs) or not np.isfinite(tried).all():
                raise ValueError("it predicts no numbers")
        except Exception as error:  # whatever a damaged estimator raises
            raise DatakinError(
                f"the estimator of {each.where} cannot predict ({str(error)[:100]})"
            ) from None
        return found

    def _scaler(self, each: PlainFields) -> Scaler:
        shape = (self.n_columns,)
        found = [self._array(each, name, shape) for name in ("medians", "centers", "scales")]
        _check_scales(found[2], each.where)
        return Scaler(*found)

    def _array(self, each: PlainFields, name: str, shape: tuple[int | None, ...]) -> Array:
        """Return numbers of a shape; None stands for a length that the file says."""
        given = each.object(name)
        said = given.items("shape", 2)
        whole = all(type(n) is int and 0 <= n <= 2**31 for n in said)
        fits = whole and len(said) == len(shape)
        if not fits or any(w not in (None, n) for n, w in zip(said, shape, strict=True)):
            wanted = " x ".join("n" if n is None else str(n) for n in shape)
            raise DatakinError(f"{name} of {each.where} must have the shape {wanted}.")
        if said and not 0 < said[0] <= ROWS and shape[0] is None:
            raise DatakinError(f"{name} of {each.where} must have 1 to {ROWS:,} rows.")
        size = math.prod(said) * 8
        content = self._member(given.text("member"), size)
        given.done()
        if len(content) != size:
            raise DatakinError(f"{name} of {each.where} must have {size:,} bytes.")
        found = np.frombuffer(content, dtype=NUMBERS).astype(float).reshape(said)
        if not np.isfinite(found).all():
            raise DatakinError(f"{name} of {each.where} must hold finite numbers.")
        return found

    def _member(self, name: str, most: int) -> bytes:
        if name in self.used:
            raise DatakinError(f"its member {name!r} is used twice")
        self.used.add(name)
        return self.archive.read(name, most)


def plain_encoder(encoder: TableEncoder) -> dict[str, Any]:
    """Return an encoder as plain values."""
    return {
        "numbers": list(encoder.numeric_names),
        "centers": _floats(encoder.scaler.centers),
        "scales": _floats(encoder.scaler.scales),
        "medians": _floats(encoder.scaler.medians),
        "categories": [
            {"name": name, "levels": list(levels)}
            for name, levels in zip(encoder.category_names, encoder.levels, strict=True)
        ],
    }


def encoder_of(plain: PlainFields) -> TableEncoder:
    """Return the encoder of a file."""
    numbers = plain.different_texts("numbers")
    centers, scales, medians = (
        np.array(plain.numbers(name, len(numbers)), dtype=float)
        for name in ("centers", "scales", "medians")
    )
    _check_scales(scales, "the encoder")
    names, levels = [], []
    for each in plain.objects("categories"):
        names.append(each.text("name"))
        found = each.items("levels")
        if not all(v is None or isinstance(v, str) for v in found) or len(set(found)) < len(found):
            raise DatakinError(f"levels of {each.where} must be different texts.")
        levels.append(tuple(found))
        each.done()
    plain.done()
    if len({*numbers, *names}) < len(numbers) + len(names):
        raise DatakinError("The encoder names a column twice.")
    return TableEncoder(numbers, Scaler(medians, centers, scales), tuple(names), tuple(levels))


def _check_scales(scales: Array, where: str) -> None:
    if not (scales > 0).all():
        raise DatakinError(f"scales of {where} must be above 0.")


def _floats(values: Any) -> list[float]:
    return [float(value) for value in values]
