"""Figures that anybody can repeat: eval, results."""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_memory import __version__
from mcp_memory.errors import InputError
from mcp_memory.settings import Settings

if TYPE_CHECKING:
    from mcp_memory.evaluation.cases import Case
    from mcp_memory.evaluation.report import Report
    from mcp_memory.evaluation.results import Results
    from mcp_memory.evaluation.run import Build

OURS: Final = "mcp-memory"
_SUITES: Final = ("locomo", "locomo-plus", "longmemeval", "beam")
_LOADING_SECONDS: Final = 300.0
_BEGIN, _END = "<!-- results: begin -->", "<!-- results: end -->"


def add(name: str, command: argparse.ArgumentParser) -> None:
    """Declares one of the commands."""
    match name:
        case "eval":
            command.add_argument("suite", choices=_SUITES)
            command.add_argument("file", type=Path, help="the benchmark's own file or folder, or a file of cases")
            command.add_argument("--locomo", type=Path, help="locomo-plus: the LoCoMo file its cues are hidden in")
            command.add_argument(
                "--recorded", type=Path, metavar="FOLDER", help="notes of a strong reader, as a scribe"
            )
            command.add_argument("--limit", type=int, default=0, help="only the first so many questions")
            command.add_argument("--json", type=Path, metavar="OUT", help="keep every question's row")
            command.add_argument("--against", type=Path, metavar="OUT", help="compare with an earlier --json, paired")
            command.set_defaults(run=evaluate)
        case "results":
            command.add_argument("file", type=Path, nargs="+", help="files written by eval --json")
            command.add_argument("--into", type=Path, help="a Markdown file with the marks of a results table")
            command.set_defaults(run=results)


def evaluate(settings: Settings, options: argparse.Namespace) -> int:
    """Runs the memory and its references over a benchmark's questions.  Raises InputError."""
    from mcp_memory.evaluation.loaders import load_cases
    from mcp_memory.evaluation.results import Results, fingerprint, read_results, write_results

    cases = _first(load_cases(options.suite, options.file, locomo=options.locomo), options.limit)
    earlier = read_results(options.against) if options.against else None
    with _systems(settings, options.recorded) as systems:
        reports = {name: _run(name, build, cases) for name, build in systems.items()}
    found = Results(
        suite=options.suite,
        file=options.file.name,
        sha256=fingerprint(options.file),
        command=_command(options),
        version=__version__,
        systems=reports,
        switches=_switches(settings, options),
    )
    _show(found, earlier)
    if options.json:
        write_results(found, options.json)
    return 0


def _command(options: argparse.Namespace) -> str:
    """What to type, without the folders of this machine."""
    limit = ["--limit", str(options.limit)] if options.limit else []
    recorded = ["--recorded", options.recorded.name] if options.recorded else []
    return shlex.join(["mcp-memory", "eval", options.suite, options.file.name, *recorded, *limit])


def _switches(settings: Settings, options: argparse.Namespace) -> dict[str, str]:
    model = f"{settings.llm.provider} {settings.llm.model}".strip()
    scribe = "recorded" if options.recorded else {"none": "rules"}.get(model, model)
    return {"scribe": scribe, "embed": f"{settings.embed.provider} {settings.embed.model}".strip()}


def _first(cases: "Sequence[Case]", limit: int) -> "list[Case]":
    """Cases with only the first `limit` questions of all; 0 is all."""
    kept, left = [], limit or sys.maxsize
    for case in cases:
        if left > 0:
            kept.append(replace(case, questions=case.questions[:left]))
            left -= len(case.questions)
    return kept


@contextmanager
def _systems(settings: Settings, recorded: Path | None) -> "Iterator[Mapping[str, Build]]":
    """The memory, and the references it is read beside; the vectors' one only where there are vectors."""
    from mcp_memory.embed.factory import make_embedder
    from mcp_memory.evaluation.references import bm25, fusion
    from mcp_memory.evaluation.system import ours

    embedder = make_embedder(settings)
    systems: dict[str, Build] = {"BM25": bm25}
    if embedder is not None:
        systems["BM25 + dense"] = fusion(embedder)
    with (
        tempfile.TemporaryDirectory(prefix="mcp-memory-eval-") as folder,
        ours(settings, Path(folder), embedder, recorded) as build,
    ):
        yield {OURS: build} | systems


def _run(name: str, build: "Build", cases: "Sequence[Case]") -> "Report":
    from mcp_memory.cli.progress import bar
    from mcp_memory.evaluation.run import evaluate as over

    with bar(name, "questions", sum(len(case.questions) for case in cases)) as shown:
        return over(cases, build, progress=lambda _done, _all: shown.update(1))


def _show(found: "Results", earlier: "Results | None") -> None:
    from mcp_memory.evaluation.compare import compare, compare_results
    from mcp_memory.evaluation.table import difference_line, text_table

    for name, report in found.systems.items():
        print(f"\n{found.suite}, {found.file}: {name}\n{text_table(report)}")
    ours, reference = found.systems[OURS], found.systems["BM25"]
    print(f"\n{OURS} against BM25, paired, 95 % interval:")
    for budget in ours.budgets:
        print(f"{budget:6d} tokens: {difference_line(compare(ours, reference, budget))}")
    if earlier:
        print("\nagainst the earlier run:")
        for budget in ours.budgets:
            print(f"{budget:6d} tokens: {difference_line(compare_results(found, earlier, OURS, budget))}")


def results(_settings: Settings, options: argparse.Namespace) -> int:
    """Puts runs side by side as a Markdown table.  Raises InputError."""
    from mcp_memory.evaluation.results import read_results
    from mcp_memory.evaluation.table import markdown_table

    table = markdown_table(read_results(file) for file in options.file)
    if options.into is None:
        print(table, end="")
        return 0
    text = options.into.read_text(encoding="utf-8")
    before, begun, rest = text.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not (begun and ended):
        raise InputError(f"{options.into} has no lines {_BEGIN} and {_END} to put the table between")
    options.into.write_text(f"{before}{_BEGIN}\n\n{table}\n{_END}{after}", encoding="utf-8")
    return 0
