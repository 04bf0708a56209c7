"""What really computes: losses and estimators of one's own, identified by their content.

A checkpoint may only be used again where the same code would run. A name or a repr does not tell: two
lambdas look alike, and a long repr is cut short.
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import sys
from collections.abc import Mapping
from types import CodeType, ModuleType
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.options import Options
from datakin.learning.losses import LOSSES, Loss
from datakin.learning.models import Model

__all__ = ["Unknown", "identity_of"]

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
    if isinstance(models, Mapping):
        given = dict(models)
    elif isinstance(models, (list, tuple)):
        given = {m.name: m for m in models if isinstance(m, Model)}
    else:
        given = {}
    for name, model in given.items():
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
    """Return where a function lives, and a digest of its code."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", "")
    if not isinstance(code, CodeType):
        raise _refuse(what, f"it is a {type(function).__name__}, not a function")
    if "<lambda>" in name or "<locals>" in name or function.__closure__:
        raise _refuse(what, "it is a lambda or stands inside another function")
    known = vars(builtins)
    for used in _names(code):
        value = function.__globals__.get(used, known.get(used))
        if value is not None and not isinstance(value, ModuleType) and used not in known:
            raise _refuse(what, f"it uses {used!r}, which may change")
    parts = [_of_code(code), repr(function.__defaults__), repr(function.__kwdefaults__)]
    return f"{function.__module__}.{name} {_digest(*parts)}"


def _names(code: CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return {*code.co_names, *(name for c in inner for name in _names(c))}


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
        params = value.get_params(deep=False)
        inside = ", ".join(f"{k}={_of_value(params[k], what)}" for k in sorted(params))
        return f"{_of_class(type(value), what)}({inside})"
    raise _refuse(what, f"it holds a {type(value).__name__}")


def _of_class(kind: type, what: str) -> str:
    """Return a class's place, its package's version, or a digest of its source."""
    place = f"{kind.__module__}.{kind.__qualname__}"
    if "<locals>" in kind.__qualname__:
        raise _refuse(what, "its class stands inside a function")
    package = sys.modules.get(kind.__module__.partition(".")[0])
    version = getattr(package, "__version__", None)
    if version is not None:
        return f"{place} {version}"
    try:
        return f"{place} {_digest(inspect.getsource(kind))}"
    except (OSError, TypeError):
        raise _refuse(what, "the source of its class is not at hand") from None


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
