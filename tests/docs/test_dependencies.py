"""What is imported is declared, what is declared is imported, and each has its decision."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return {canonical(re.split(r"[\[<>=;! ]", line)[0]) for line in lines}


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]
        if isinstance(node, ast.Call) and "import_module" in ast.dump(node.func):
            names = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            yield from (str(name).split(".")[0] for name in names)


def imported() -> set[str]:
    """Return the distributions that the source imports, the standard library and itself apart.

    Who runs the contract tests of `citewell.testing` has pytest. Where several share a
    module, those are meant that are declared.
    """
    paths = [path for path in (ROOT / "src").rglob("*.py") if "testing" not in path.parts]
    modules = {module for path in paths for module in imported_modules(path)}
    foreign = modules - sys.stdlib_module_names - {"citewell"}
    known = packages_distributions()
    found: set[str] = set()
    for module in foreign:
        names = {canonical(name) for name in known.get(module, [module])}
        found |= names & declared() or {min(names)}
    return found


def test_what_is_imported_is_declared() -> None:
    assert sorted(imported() - declared()) == []


def test_what_is_declared_is_imported() -> None:
    assert sorted(declared() - imported()) == []


def test_every_required_dependency_stands_in_a_decision() -> None:
    pages = (ROOT / "docs" / "decisions").glob("[0-9]*.md")
    words = set(re.findall(r"[\w-]+", " ".join(page.read_text("utf-8") for page in pages).lower()))
    assert sorted(name for name in declared() if name not in words) == []
