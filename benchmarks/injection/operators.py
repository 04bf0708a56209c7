"""What is done to the code: fixed operators on its syntax tree, one node at a time.

Only bodies of functions are touched, and there no docstring, no annotation, no text and nothing that is
raised: a fault is in what the code does, not in what it says.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
EXTREMES = {
    **{"min": "max", "minimum": "maximum", "argmin": "argmax", "nanmin": "nanmax"},
    **{"max": "min", "maximum": "minimum", "argmax": "argmin", "nanmax": "nanmin"},
}
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, order=True)
class Site:
    """A place where an operator applies.

    Attributes
    ----------
    function : str
        As in ``__qualname__``.
    line : int
    operator : str
    start, end : int
        Where the text to replace begins and ends in the file, in bytes.
    before, after : str
    """

    function: str
    line: int
    operator: str
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def comparison(node: ast.AST) -> ast.AST | None:
    """Flip a comparison: < becomes <=, == becomes !=, `in` becomes `not in`."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return None
    return ast.Compare(node.left, [COMPARED[type(node.ops[0])]()], node.comparators)


def constant(node: ast.AST) -> ast.AST | None:
    """Move a number: a whole one by one, another one to its double."""
    number = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return None
    return ast.Constant(number + 1 if isinstance(number, int) else 2 * number or 1.0)


def truth(node: ast.AST) -> ast.AST | None:
    """Exchange True and False."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
        return None
    return ast.Constant(not node.value)


def arithmetic(node: ast.AST) -> ast.AST | None:
    """Exchange + and -, * and /; not where texts are joined."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in CALCULATED:
        return None
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    for side in (node.left, node.right):
        if isinstance(side, texts) or (
            isinstance(side, ast.Constant) and isinstance(side.value, str)
        ):
            return None
    return ast.BinOp(node.left, CALCULATED[type(node.op)](), node.right)


def negation(node: ast.AST) -> ast.AST | None:
    """Drop a `not`."""
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return node.operand if is_not else None  # type: ignore[attr-defined]


def connection(node: ast.AST) -> ast.AST | None:
    """Exchange `and` and `or`."""
    if not isinstance(node, ast.BoolOp):
        return None
    return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def returned(node: ast.AST) -> ast.AST | None:
    """Return None."""
    if not isinstance(node, ast.Return) or node.value is None or ast.unparse(node.value) == "None":
        return None
    return ast.Return(ast.Constant(None))


def arguments(node: ast.AST) -> ast.AST | None:
    """Exchange the first two arguments of a call."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    first, second, *rest = node.args
    if isinstance(first, ast.Starred) or isinstance(second, ast.Starred):
        return None
    return ast.Call(node.func, [second, first, *rest], node.keywords)


def extreme(node: ast.AST) -> ast.AST | None:
    """Exchange the smallest and the largest."""
    if not isinstance(node, ast.Call):
        return None
    func = copy.copy(node.func)
    if isinstance(func, ast.Name) and func.id in EXTREMES:
        func.id = EXTREMES[func.id]
    elif isinstance(func, ast.Attribute) and func.attr in EXTREMES:
        func.attr = EXTREMES[func.attr]
    else:
        return None
    return ast.Call(func, node.args, node.keywords)


def axis(node: ast.AST) -> ast.AST | None:
    """Exchange rows and columns: axis 0 and 1."""
    if not isinstance(node, ast.Call):
        return None
    for k, each in enumerate(node.keywords):
        if each.arg == "axis" and isinstance(each.value, ast.Constant):
            other = ast.keyword("axis", ast.Constant(0 if each.value.value == 1 else 1))
            return ast.Call(
                node.func, node.args, [*node.keywords[:k], other, *node.keywords[k + 1 :]]
            )
    return None


def guard(node: ast.AST) -> ast.AST | None:
    """Drop a guard: an `if` that only leaves, returns or raises."""
    if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], LEAVES):
        return ast.Pass()
    return None


def statement(node: ast.AST) -> ast.AST | None:
    """Drop a statement: a call for its effect, or a sum that grows."""
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return ast.Pass() if is_call or isinstance(node, ast.AugAssign) else None


Operator = Callable[[ast.AST], ast.AST | None]
OPERATORS: dict[str, Operator] = {
    each.__name__: each
    for each in (
        *(comparison, constant, truth, arithmetic, negation, connection, returned, arguments),
        *(extreme, axis, guard, statement),
    )
}


def sites(source: bytes, lines: set[int]) -> list[Site]:
    """Return where operators apply in a file, on some of its lines."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for function, node in nodes(ast.parse(source), ""):
        if not isinstance(node, (ast.expr, ast.stmt)) or node.lineno not in lines:
            continue
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        for name, operator in OPERATORS.items():
            changed = operator(node)
            if changed is None:
                continue
            after = ast.unparse(changed)
            if isinstance(changed, ast.expr) and not isinstance(changed, (ast.Constant, ast.Call)):
                after = f"({after})"
            before = source[start:end].decode()
            site = Site(function, node.lineno, name, start, end, before, after)
            found.append(site)
    return sorted(found)


def is_other(site: Site, source: bytes) -> bool:
    """Whether a source with a fault can be compiled and is other code than without."""
    try:
        return ast.dump(ast.parse(site.applied(source))) != ast.dump(ast.parse(source))
    except (SyntaxError, ValueError):
        return False


def nodes(node: ast.AST, function: str, is_inside: bool = False) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes of functions' bodies, each with the name of its function."""
    if isinstance(node, (ast.JoinedStr, ast.Raise, ast.Assert)):
        return
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        name = f"{function}.<locals>.{node.name}" if is_inside else f"{function}.{node.name}"
        name = name.removeprefix(".")
        for child in node.body:
            yield from nodes(child, name, isinstance(node, FUNCTIONS))
        return
    if is_inside:
        yield function, node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from nodes(child, function, is_inside)
