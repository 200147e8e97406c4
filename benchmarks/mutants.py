"""Small changes to a module's source, one at a time: what a test suite must notice.

The operators are the usual ones (arithmetic, comparison, logic, constants, calls with an opposite, dropped
statements). Left out, because no test should fail for them: docstrings, annotations, texts, what a ``raise``
says, and arguments of decorators.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.MatMult: [ast.Add],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.LShift: [ast.RShift],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
OPPOSITE = {"min": "max", "minimum": "maximum", "floor": "ceil", "all": "any", "argmin": "argmax"}
OPPOSITE |= {"amin": "amax", "cos": "sin", "log1p": "log", "relu": "abs", "zeros": "ones", "triu": "tril"}
OPPOSITE |= {value: key for key, value in OPPOSITE.items() if key not in ("log1p", "relu")}
TEXTS = {"left": "right", "right": "left"}
"""Sides of a search among sorted values: the one text that is arithmetic."""
NO_BEHAVIOUR = {"strict", "dtype", "copy"}
"""Keywords of calls that guard or store, without an effect on a valid value."""


@dataclass(frozen=True)
class Mutant:
    """One change: where it stands, what the line says, what it becomes, and the whole module with it."""

    lines: range
    """Of the statement; of a compound one, of the part before its body."""
    before: str
    after: str
    tree: ast.Module
    inside: bool
    """Whether it lies in the body of a function."""

    @property
    def change(self) -> str:
        """The change in words, the same as long as the statement is."""
        return f"{self.before} → {self.after}"


def mutants(source: str) -> Iterator[Mutant]:
    """Every change of a module, one by one."""
    tree = ast.parse(source)
    for path, replacement in _changes(tree):
        changed = copy.deepcopy(tree)
        parent = _at(changed, path[:-1])
        name, index = path[-1]
        old = getattr(parent, name) if index is None else getattr(parent, name)[index]
        statement = _statement(changed, path)
        lines, before = _lines(statement), _first_line(statement)
        if isinstance(replacement, ast.AST) and hasattr(old, "lineno"):
            ast.copy_location(replacement, old)
        if index is None:
            setattr(parent, name, replacement)
        else:
            getattr(parent, name)[index] = replacement
        ast.fix_missing_locations(changed)
        after = "pass" if isinstance(replacement, ast.Pass) else _first_line(_statement(changed, path))
        if before != after:
            yield Mutant(lines, before, after, changed, _is_inside(tree, path))


Step = tuple[str, int | None]


def _changes(tree: ast.Module) -> Iterator[tuple[list[Step], ast.AST]]:
    for path, node in _walk(tree, []):
        match node:
            case ast.operator() | ast.cmpop() | ast.boolop():
                for other in SWAPPED.get(type(node), []):
                    yield path, other()
            case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert()):
                yield path, copy.deepcopy(node.operand)
            case ast.Constant(value=bool() as value):
                yield path, ast.Constant(not value)
            case ast.Constant(value=int() as value):
                yield path, ast.Constant(value + 1)
            case ast.Constant(value=float() as value):
                yield path, ast.Constant(value * 2 if value else 1.0)
            case ast.Constant(value=str() as value) if value in TEXTS:
                yield path, ast.Constant(TEXTS[value])
            case ast.Call(func=ast.Name(id=name)) if name in OPPOSITE:
                yield [*path, ("func", None)], ast.Name(OPPOSITE[name], ast.Load())
            case ast.Call(func=ast.Attribute(attr=name) as called) if name in OPPOSITE:
                other_call = copy.deepcopy(called)
                other_call.attr = OPPOSITE[name]
                yield [*path, ("func", None)], other_call
            case ast.If(test=ast.Name() | ast.Call() | ast.Attribute() as test):
                yield [*path, ("test", None)], ast.UnaryOp(ast.Not(), copy.deepcopy(test))
            case ast.AugAssign() | ast.Expr(value=ast.Call()):
                yield path, ast.Pass()
            case _:
                pass


def _walk(node: ast.AST, path: list[Step]) -> Iterator[tuple[list[Step], ast.AST]]:
    """All nodes that carry behaviour, with the way to each."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or (
            isinstance(node, ast.ClassDef) and name == "keywords"
        ):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_silent(child):
                continue
            here = [*path, (name, index)]
            yield here, child
            yield from _walk(child, here)


def _is_silent(node: ast.AST) -> bool:
    """Docstrings, texts, messages and typing: changed without an effect on any result."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.keyword(arg=str() as name):
            return name in NO_BEHAVIOUR
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.BinOp(op=ast.BitOr())) if _is_alias(node.value):
            return True
        case _:
            return False


def _is_alias(node: ast.AST) -> bool:
    """Whether an expression is a type such as ``str | None``."""
    return all(
        isinstance(part, ast.BinOp | ast.BitOr | ast.Name | ast.Load | ast.Constant)
        for part in ast.walk(node)
    )


def _at(tree: ast.AST, path: list[Step]) -> ast.AST:
    node: ast.AST = tree
    for name, index in path:
        value = getattr(node, name)
        node = value if index is None else value[index]
    return node


def _is_inside(tree: ast.AST, path: list[Step]) -> bool:
    return any(
        step[0] == "body" and isinstance(_at(tree, path[:depth]), ast.FunctionDef)
        for depth, step in enumerate(path)
    )


def _statement(tree: ast.AST, path: list[Step]) -> ast.stmt:
    """The innermost statement on the way to a node."""
    node: ast.AST = tree
    found: ast.stmt | None = None
    for name, index in path:
        value = getattr(node, name)
        node = value if index is None else value[index]
        if isinstance(node, ast.stmt):
            found = node
    assert found is not None, "every change lies in a statement"
    return found


def _lines(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None)
    end = body[0].lineno if body else (statement.end_lineno or statement.lineno) + 1
    return range(statement.lineno, max(end, statement.lineno + 1))


def _first_line(statement: ast.stmt) -> str:
    """A statement as text; of a compound one the part before its body."""
    return (
        ast.unparse(statement).split(":\n")[0].strip()
        if hasattr(statement, "body")
        else ast.unparse(statement)
    )
