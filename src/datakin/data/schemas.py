"""Part files of one Parquet table: which columns they have in common, and of which type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from datakin._core.exceptions import DatakinError

__all__ = ["Part", "common_columns", "is_view"]

INDEX = "__index_level_"  # what pandas calls the columns of an index without a name


@dataclass(frozen=True, eq=False)
class Part:
    """What a Parquet file says about itself."""

    path: str
    metadata: Any
    schema: Any

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.metadata.num_rows)


def common_columns(
    parts: Sequence[Part], skip: Collection[str]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of all columns, and the types of those to read that all parts agree on."""
    first, *others = parts
    names = [n for n in first.schema.names if not (others and n.startswith(INDEX))]
    types = {name: first.schema.field(name).type for name in names if name not in skip}
    names += [name for part in others for name in part.schema.names]
    origin = dict.fromkeys(types, first.path)
    for part in others:
        found = {n for n in part.schema.names if n not in skip and not n.startswith(INDEX)}
        for name in sorted(found ^ set(types)):
            one, other = (part, first) if name in found else (first, part)
            raise DatakinError(
                f"Part files of one table must have the same columns. {one.path!r} has a column "
                f"{name!r}, {other.path!r} has none; leave it out with ignore=[{name!r}] (--ignore), "
                f"or read the files apart with read_tables."
            )
        for name, kind in types.items():
            here = part.schema.field(name).type
            common = _common_type(kind, here)
            if common is None:
                raise DatakinError(
                    f"The column {name!r} must have one type in all part files. Got {kind} in "
                    f"{origin[name]!r} and {here} in {part.path!r}; convert it, or leave it out "
                    f"with ignore=[{name!r}] (--ignore)."
                )
            if common != kind:
                types[name], origin[name] = common, part.path
    return tuple(dict.fromkeys(n for n in names if not n.startswith(INDEX))), types


def _common_type(one: Any, other: Any) -> Any:
    """Return a type for both, None when there is none: text is no number."""
    import pyarrow as pa

    if one == other:
        return one
    one, other = (t.value_type if pa.types.is_dictionary(t) else t for t in (one, other))
    if _is_number(one) and _is_number(other):
        return one if one == other else pa.float64()
    if _is_text(one) and _is_text(other):
        return pa.large_string()
    try:
        both = [pa.schema([("x", kind)]) for kind in (one, other)]
        return pa.unify_schemas(both, promote_options="permissive").field("x").type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def _is_number(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or is_view(kind))


def is_view(kind: Any) -> bool:
    """Whether it is the type of text that polars writes."""
    return str(kind) == "string_view"  # pyarrow 16 has no name for it
