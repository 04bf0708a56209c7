"""Calls are made through here, which notes the names and options that each of them uses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.public import names


class Use:
    """Make calls of public names and keep what they used.

    Attributes
    ----------
    folder : Path
        Where calls may write.
    seen : set of str
        Entries of the record, without default values.
    """

    def __init__(self, folder: Path, run: Callable[[list[str]], int] | None = None) -> None:
        self.root = self.folder = folder
        self.seen: set[str] = set()
        self._run = run

    def within(self, name: str) -> Use:
        """Give the calls that follow a folder of their own."""
        self.folder = self.root / name
        self.folder.mkdir()
        return self

    def __call__(self, path: str, /, *given: Any, **options: Any) -> Any:
        """Call a public function or class."""
        call = names.objects()[path]
        self.seen.add(path)
        self._mark(path, call, given, options)
        return call(*given, **options)

    def on(self, thing: Any, name: str, /, *given: Any, protocol: str = "", **options: Any) -> Any:
        """Call a method of a result, an estimator or a class; `protocol` names one that it fulfils."""
        kind = thing if inspect.isclass(thing) else type(thing)
        call = getattr(thing, name)
        for path in self._paths(kind, protocol):
            self.seen.add(f"{path}.{name}")
            self._mark(f"{path}.{name}", call, given, options)
        return call(*given, **options)

    def read(self, thing: Any, protocol: str = "") -> Any:
        """Read every attribute that is not a method; of a class those of a protocol that it fulfils."""
        paths = [protocol] if inspect.isclass(thing) else self._paths(type(thing), protocol)
        for path in paths:
            self.seen.add(path)
            kind = names.objects()[path]
            for name in names.members(kind):
                if names.method(kind, name) is None and name != "predict_proba":
                    getattr(thing, name)
                    self.seen.add(f"{path}.{name}")
        return thing

    def type(self, *words: Any, code: int | tuple[int, ...] = 0) -> None:
        """Run the command line; `code` holds the exit codes that are right."""
        typed = [str(word) for word in words]
        assert self._run is not None
        found = self._run(typed)
        assert found in ((code,) if isinstance(code, int) else code), (found, typed)
        known = set(names.flags())
        at = names.COMMAND_LINE
        self.seen.add(at)
        for word in typed:
            if word.startswith("-"):
                self.seen.add(f"{at} {word}")
            elif f"{at} {word}" in known:
                at = f"{at} {word}"
                self.seen.add(at)
        self.seen |= {
            entry for entry in known if entry.startswith(f"{at} ") and entry.split()[-1].isupper()
        }

    def _paths(self, kind: type, protocol: str) -> list[str]:
        found = [names.homes()[id(base)] for base in kind.__mro__ if id(base) in names.homes()]
        assert found or protocol, f"{kind} is not public"
        return [*found, *([protocol] if protocol else [])]

    def _mark(self, path: str, call: Any, given: Any, options: Any) -> None:
        """Note the parameters that a call gives a value to."""
        try:
            signature = inspect.signature(call)
        except ValueError:  # exceptions that take what ValueError takes
            return
        kinds = {name: each.kind for name, each in signature.parameters.items()}
        for name, value in signature.bind(*given, **options).arguments.items():
            passed = value if kinds[name] is inspect.Parameter.VAR_KEYWORD else [name]
            self.seen |= {f"{path}({each})" for each in passed}
