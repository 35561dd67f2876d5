"""The walls of the package: who may import whom, how long a file gets, where text for models lives."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mcp_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST = 300  # lines of a file
LONGEST_FUNCTION = 40
# errors, model ← text, settings ← ports ← scribe | llm | embed | store ← write | recall ← engine
#   ← importers, evaluation ← server | cli
RANKS: list[set[str]] = [
    {"__version__"},
    {"errors", "model"},
    {"text", "settings"},
    {"ports", "prompts", "heap"},
    {"scribe", "llm", "embed", "store"},
    {"write", "recall"},
    {"models", "embedding"},
    {"status"},
    {"engine"},
    {"answers", "views", "report"},
    {"importers"},
    {"evaluation"},
    {"stdio", "server"},
    {"cli"},
    {"__main__"},
]
RANK = {name: rank for rank, names in enumerate(RANKS) for name in names}
TOGETHER = {"errors": {"model"}, "model": {"errors"}, "text": {"settings"}, "views": {"answers"}, "server": {"stdio"}}
HEAVY = {
    "numpy", "pyarrow", "lancedb", "bm25s", "scipy", "onnxruntime", "tokenizers", "Stemmer", "openai", "anthropic",
    "FlagEmbedding", "torch", "transformers", "huggingface_hub", "tqdm",
}  # fmt: skip


def part_of(path: Path) -> str:
    """The part a module belongs to: the folder or module below the package."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Full names of what a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = str(node.module)
            yield from (f"{module}.{name.name}" for name in node.names) if module == "mcp_memory" else [module]


def parts_imported(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("mcp_memory.")} - {part_of(path)}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_lead_only_leftwards(path: Path) -> None:
    if path == PACKAGE / "__init__.py":
        return
    part = part_of(path)
    for other in parts_imported(path):
        assert RANK[other] < RANK[part] or other in TOGETHER.get(part, ()), f"{part} imports {other}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "model").glob("*.py")), ids=name_of)
def test_the_nouns_need_only_the_standard_library(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports(path)}
    assert roots <= sys.stdlib_module_names | {"mcp_memory"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_file_is_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_function_is_long(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("path", [path for path in MODULES if part_of(path) != "cli"], ids=name_of)
def test_only_the_command_line_prints(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    assert not [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def test_no_text_for_models_stands_in_the_code() -> None:
    """Tool descriptions and prompts come from files: the code has no long prose outside its docstrings."""
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        explained = set(docstrings(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in explained:
                addressed = re.search(r"\b(You are|Answer only|Return JSON|Reply with)\b", node.value)
                assert not addressed, f"{name_of(path)}:{node.lineno}"


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def test_every_tool_description_comes_from_the_prompts() -> None:
    tree = ast.parse((PACKAGE / "server.py").read_text(encoding="utf-8"))
    described = [
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in ("description", "instructions") and isinstance(node.func, ast.Attribute | ast.Name)
    ]
    prose = [value for value in described if isinstance(value, ast.Constant) and len(str(value.value)) > 60]
    assert described
    assert not prose


@pytest.mark.parametrize("command", [["--version"], ["--help"]])
def test_asking_what_there_is_imports_nothing_heavy(command: list[str]) -> None:
    run = f"import sys; from mcp_memory.cli import main\ntry: main({command!r})\nexcept SystemExit: pass\n"
    assert not loaded_by(run) & HEAVY


def test_the_server_can_be_built_before_anything_heavy_is_imported(tmp_path: Path) -> None:
    settings = f"load(None, {{'data_dir': {str(tmp_path)!r}}})"
    build = (
        "from mcp_memory.settings import load; from mcp_memory.server import build_server\n"
        f"from mcp_memory.engine import Memory; build_server(Memory({settings}))\n"
    )
    assert not loaded_by(build) & HEAVY


def loaded_by(code: str) -> set[str]:
    """The top-level modules in sys.modules after running `code` in a process of its own."""
    tail = "import sys; print('\\n' + ' '.join({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())
