"""What really computes: losses and estimators of one's own, identified by their content.

A checkpoint may only be used again where the same code would run. A name or a repr does not tell: two
lambdas look alike, and a long repr is cut short.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions, version
from types import CodeType, ModuleType
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.options import Options
from datakin.learners.losses import LOSSES, Loss
from datakin.learners.models import Model

PLAIN = (bool, int, float, str, bytes, type(None))


class Unknown(DatakinError):
    """A loss or an estimator that cannot be identified by its content."""


def identity_of(options: Options) -> dict[str, str]:
    """Return what identifies the losses and estimators of one's own; raise Unknown if nothing does."""
    found: dict[str, str] = {}
    loss = options.loss.rows if isinstance(options.loss, Loss) else options.loss
    if callable(loss) and loss not in [known.rows for known in LOSSES.values()]:
        found["loss"] = _of_function(loss, "The loss")
    models = options.models
    if not isinstance(models, Mapping):
        models = {model.name: model for model in models or () if isinstance(model, Model)}
    for name, model in models.items():
        estimator = model.estimator if isinstance(model, Model) else model
        found[f"model {name}"] = _of_value(estimator, f"The model {name!r}")
    return found


def _refuse(what: str, why: str) -> Unknown:
    return Unknown(
        f"{what} cannot be identified by its content ({why}), so that a checkpoint could not tell "
        f"whether it has changed. Leave out checkpoint, or use a named function at the top of a module "
        f"and estimators with plain parameters."
    )


def _of_function(function: Any, what: str) -> str:
    """Return where a function lives, and a digest of its code, defaults and packages."""
    if not inspect.isfunction(function):
        raise _refuse(what, f"it is a {type(function).__name__}, not a function")
    code, name = function.__code__, function.__qualname__
    if "<lambda>" in name or "<locals>" in name or function.__closure__:
        raise _refuse(what, "it is a lambda or stands inside another function")
    used = []
    for instruction in _instructions(code):
        if instruction.opname in ("IMPORT_NAME", "IMPORT_FROM"):
            raise _refuse(what, "it imports something when it is called")
        is_global = instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        if is_global and instruction.argval in function.__globals__:
            used.append(_of_package(instruction.argval, function.__globals__, what))
    defaults = [function.__defaults__ or (), function.__kwdefaults__ or {}]
    parts = [_of_code(code), *sorted(used), *(_of_value(value, what) for value in defaults)]
    return f"{function.__module__}.{name} {_digest(*parts)}"


def _instructions(code: CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _instructions(constant)


def _of_package(name: str, known: Mapping[str, Any], what: str) -> str:
    """Return the version of a package that code uses; refuse anything else at the top of a module."""
    value = known[name]
    version = _version(value.__name__) if isinstance(value, ModuleType) else None
    if version is None:
        raise _refuse(what, f"it uses {name!r}, which may change")
    return f"{value.__name__} {version}"


_packages = cache(packages_distributions)  # it reads the records of all packages


def _version(module: str) -> str | None:
    """Return the version of an installed package, or of Python; None for code that may be edited."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return sys.version.split()[0]
    if top == "datakin":  # a run is held to its version anyway
        return version("datakin")
    names = _packages().get(top)
    place = getattr(sys.modules.get(top), "__file__", None) or ""
    homes = [sysconfig.get_path(kind) for kind in ("purelib", "platlib")]
    if not names or not any(place.startswith(home) for home in homes):
        return None
    return ", ".join(f"{name} {version(name)}" for name in sorted(set(names)))


def _of_code(code: CodeType) -> str:
    constants = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return _digest(code.co_code.hex(), *constants, *code.co_names, *code.co_varnames)


def _of_value(value: Any, what: str) -> str:
    """Return what identifies a parameter: plain values, sequences of them, and other estimators."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_of_value(item, what) for item in value)}]"
    if isinstance(value, Mapping):
        items = sorted((repr(k), _of_value(v, what)) for k, v in value.items())
        return f"{{{', '.join(f'{k}: {v}' for k, v in items)}}}"
    if inspect.isfunction(value):
        return _of_function(value, what)
    if hasattr(value, "get_params") and not isinstance(value, type):
        try:
            params = value.get_params(deep=False)
        except Exception:  # whatever a user's estimator raises; fitting it will say more
            raise _refuse(what, "its parameters cannot be read") from None
        inside = ", ".join(f"{k}={_of_value(params[k], what)}" for k in sorted(params))
        return f"{_of_class(type(value), what)}({inside})"
    raise _refuse(what, f"it holds a {type(value).__name__}")


def _of_class(kind: type, what: str) -> str:
    """Return a class's place, and the version or the source of every module it is made of."""
    if "<locals>" in kind.__qualname__:
        raise _refuse(what, "its class stands inside a function")
    parts = []
    for base in kind.__mro__:
        known = _version(base.__module__)
        if known is None:
            known = _of_module(base.__module__, what)
        parts.append(f"{base.__module__} {known}")
    return f"{kind.__module__}.{kind.__qualname__} {_digest(*dict.fromkeys(parts))}"


def _of_module(module: str, what: str) -> str:
    """Return a digest of a module's source; refuse one that imports others which may be edited."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError, KeyError):
        raise _refuse(what, "the source of its class is not at hand") from None
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "."] if not node.level else ["."]
        else:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name == "." or (name != "__future__" and _version(name) is None):
                raise _refuse(what, f"{module} imports {name!r}, which may change")
    return _digest(source)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
