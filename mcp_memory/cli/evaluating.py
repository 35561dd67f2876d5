"""Figures that anybody can repeat: eval, results."""

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_memory import __version__
from mcp_memory.cli.files import beginning, check_writable, replacing
from mcp_memory.errors import InputError, SettingsError
from mcp_memory.settings import LlmSettings, Settings

if TYPE_CHECKING:
    from mcp_memory.evaluation.answering import Grade
    from mcp_memory.evaluation.cases import Case
    from mcp_memory.evaluation.report import RankReport, Report
    from mcp_memory.evaluation.results import Results
    from mcp_memory.evaluation.run import Build
    from mcp_memory.evaluation.system import Ours

OURS: Final = "mcp-memory"
_SUITES: Final = ("locomo", "locomo-plus", "longmemeval", "beam")
_SCRIBES: Final = ("rules", "recorded", "llm")
WITHOUT: Final = (
    *("scenes", "topics", "items", "entity-bridge", "scene-cues", "horizon", "utterances", "quotes"),
    *("cascade", "climb", "persona", "gate"),
)  # `recall.pipeline.COMPONENTS`, which is not loaded to parse a command line
_LOADING_SECONDS: Final = 300.0
_BEGIN, _END = "<!-- results: begin -->", "<!-- results: end -->"


def add(name: str, command: argparse.ArgumentParser) -> None:
    """Declares one of the commands."""
    match name:
        case "eval":
            command.add_argument("suite", choices=_SUITES)
            command.add_argument("file", type=Path, help="the benchmark's own file or folder, or a file of cases")
            command.add_argument("--locomo", type=Path, help="locomo-plus: the LoCoMo file its cues are hidden in")
            command.add_argument("--limit", type=int, metavar="N", help="only the first so many questions")
            command.add_argument("--json", type=Path, metavar="OUT", help="keep every question's row")
            command.add_argument("--against", type=Path, metavar="OUT", help="compare with an earlier --json, paired")
            _add_variants(command)
            command.set_defaults(run=evaluate)
        case "results":
            command.add_argument("file", type=Path, nargs="+", help="files written by eval --json")
            command.add_argument("--into", type=Path, help="a Markdown file with the marks of a results table")
            command.set_defaults(run=results)


def _add_variants(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--scribe", choices=_SCRIBES, default="rules", help="who writes notes; llm is the one of the settings"
    )
    command.add_argument("--recorded", type=Path, metavar="FOLDER", help="--scribe recorded: notes of a strong reader")
    command.add_argument(
        "--without", choices=WITHOUT, action="append", default=[], help="leave a component out; may be repeated"
    )
    command.add_argument("--level1", action="store_true", help="nothing but quotes and segments")
    command.add_argument("--complexity", choices=("simple", "hybrid", "complex"), default="", help="for all questions")
    command.add_argument("--answer", action="store_true", help="let the settings' language model answer, and grade it")
    command.add_argument("--calls", type=int, default=200, metavar="N", help="--answer: at most so many calls")


def evaluate(settings: Settings, options: argparse.Namespace) -> int:
    """Runs the memory and its references over a benchmark's questions.  Raises InputError, SettingsError."""
    from mcp_memory.evaluation.loaders import load_cases
    from mcp_memory.evaluation.results import Results, fingerprint, write_results

    _check(settings, options)
    cases = _first(load_cases(options.suite, options.file, locomo=options.locomo), options.limit)
    _check_cases(options, cases)
    sha256 = fingerprint(options.file)
    earlier = _earlier(options, sha256, cases)
    with _ours(settings, options) as ours:
        reports = {name: _run(name, build, cases) for name, build in _systems(ours).items()}
        ranks = {OURS: _ranks(ours, cases)} if options.suite == "locomo-plus" else {}
        grades = _answers(settings, options.calls, ours, cases) if options.answer else ()
    found = Results(
        suite=options.suite,
        file=options.file.name,
        sha256=sha256,
        command=_command(options),
        version=__version__,
        conversations=tuple(case.talk.id for case in cases),
        systems=reports,
        switches=_switches(settings, options),
        ranks=ranks,
        grades=grades,
    )
    if options.json:
        with replacing(options.json) as fresh:
            write_results(found, fresh)
    _show(found, earlier)
    return 0


def _check(settings: Settings, options: argparse.Namespace) -> None:
    """Raises InputError or SettingsError for what cannot go together or be written, before anything is run."""
    from mcp_memory.evaluation.results import FORMAT

    if (options.scribe == "recorded") != (options.recorded is not None):
        raise InputError("--scribe recorded and --recorded FOLDER go together: give both, or neither")
    if settings.llm.provider == "none" and (options.scribe == "llm" or options.answer):
        raise SettingsError("there is no language model: set llm.provider, see config.example.toml")
    for name, number in (("--limit", options.limit), ("--calls", options.calls)):
        if number is not None and number < 1:
            raise InputError(f"{name} must be 1 or more; leave it out for the default")
    if options.json:
        check_writable(options.json)
        if (begun := beginning(options.json, 200)) and FORMAT not in begun:
            raise InputError(f"{options.json} is there and holds no run of `eval`: name another file")


def _check_cases(options: argparse.Namespace, cases: "Sequence[Case]") -> None:
    """Raises InputError where there is nothing to measure, or nobody wrote notes about what is measured."""
    if not any(question.measured for case in cases for question in case.questions):
        limit = f"the questions that --limit {options.limit} chooses" if options.limit else "the questions"
        more = ": give a larger --limit, or none" if options.limit else ""
        raise InputError(f"none of {limit} of {options.file} has labelled evidence, so no recall can be measured{more}")
    if options.recorded:
        from mcp_memory.evaluation.system import check_recordings

        check_recordings(options.recorded, [case.talk for case in cases])


def _earlier(options: argparse.Namespace, sha256: str, cases: "Sequence[Case]") -> "Results | None":
    """The run to compare with.  Raises InputError, before anything is run, where it cannot be compared."""
    from mcp_memory.evaluation.compare import check_comparable
    from mcp_memory.evaluation.results import read_results

    if options.against is None:
        return None
    earlier = read_results(options.against)
    check_comparable(options.suite, sha256, cases, earlier, OURS)
    return earlier


def _command(options: argparse.Namespace) -> str:
    """What to type, without the folders of this machine."""
    scribe = [] if options.scribe == "rules" else ["--scribe", options.scribe]
    recorded = ["--recorded", options.recorded.name] if options.recorded else []
    without = [word for one in options.without for word in ("--without", one)]
    level = ["--level1"] if options.level1 else []
    complexity = ["--complexity", options.complexity] if options.complexity else []
    limit = ["--limit", str(options.limit)] if options.limit else []
    answer = ["--answer", "--calls", str(options.calls)] if options.answer else []
    more = [*scribe, *recorded, *without, *level, *complexity, *limit, *answer]
    return shlex.join(["mcp-memory", "eval", options.suite, options.file.name, *more])


def _switches(settings: Settings, options: argparse.Namespace) -> dict[str, str]:
    model = f"{settings.llm.provider} {settings.llm.model}".strip()
    switches = {"scribe": model if options.scribe == "llm" else options.scribe}
    switches["embed"] = f"{settings.embed.provider} {settings.embed.model}".strip()
    if options.without or options.level1:
        switches["without"] = "all but level 1" if options.level1 else " ".join(sorted(set(options.without)))
    if options.complexity:
        switches["complexity"] = options.complexity
    if options.answer:
        switches["answers"] = model
    return switches


def _first(cases: "Sequence[Case]", limit: int | None) -> "list[Case]":
    """Cases with only the first `limit` questions of all."""
    kept, left = [], limit or sys.maxsize
    for case in cases:
        if left > 0 and case.questions:
            kept.append(replace(case, questions=case.questions[:left]))
            left -= len(case.questions)
    return kept


@contextmanager
def _ours(settings: Settings, options: argparse.Namespace) -> "Iterator[Ours]":
    """The memory under test, in a folder that goes away with it."""
    from mcp_memory.embed.factory import make_embedder
    from mcp_memory.evaluation.system import LEVEL_ONE, Ours

    asked = settings if options.scribe == "llm" else settings.model_copy(update={"llm": LlmSettings()})
    without = LEVEL_ONE if options.level1 else frozenset(options.without)
    with tempfile.TemporaryDirectory(prefix="mcp-memory-eval-") as folder:
        ours = Ours(
            asked,
            Path(folder),
            make_embedder(settings),
            options.recorded,
            without=without,
            complexity=options.complexity,
        )
        try:
            yield ours
        finally:
            ours.close()


def _systems(ours: "Ours") -> "Mapping[str, Build]":
    """The memory, and the references it is read beside; the vectors' one only where there are vectors."""
    from mcp_memory.evaluation.references import bm25, fusion

    systems: dict[str, Build] = {OURS: ours.build, "BM25": bm25}
    return systems | {"BM25 + dense": fusion(ours.embedder)} if ours.embedder else systems


def _ranks(ours: "Ours", cases: "Sequence[Case]") -> "RankReport":
    from mcp_memory.evaluation.run import rank_report

    return rank_report(cases, ours.scenes)


def _answers(settings: Settings, calls: int, ours: "Ours", cases: "Sequence[Case]") -> "tuple[Grade, ...]":
    """Asks within so many calls, and prints what came of it and what it cost."""
    from mcp_memory.cli.progress import bar
    from mcp_memory.evaluation.answering import Spending, grade
    from mcp_memory.evaluation.table import grades_table
    from mcp_memory.llm.factory import make_chat
    from mcp_memory.ports import SystemClock
    from mcp_memory.prompts import Prompts

    capped = settings.llm.model_copy(update={"calls_per_day": calls, "tokens_per_day": sys.maxsize})
    spending = Spending()
    chat = make_chat(settings.model_copy(update={"llm": capped}), spending, SystemClock())
    assert chat is not None  # `_check` has seen that there is a provider
    with closing(chat), bar("answering", "questions", sum(len(case.questions) for case in cases)) as shown:
        graded = grade(cases, ours.build, chat, Prompts(settings.prompts_dir), lambda: shown.update(1))
    print(f"\nanswers by {chat.model}\n{grades_table(graded)}")
    print(f"{spending.calls} calls, {spending.input_tokens} tokens read, {spending.output_tokens} written")
    return graded.grades


def _run(name: str, build: "Build", cases: "Sequence[Case]") -> "Report":
    from mcp_memory.cli.progress import bar
    from mcp_memory.evaluation.run import evaluate as over

    with bar(name, "questions", sum(len(case.questions) for case in cases)) as shown:
        return over(cases, build, progress=lambda _done, _all: shown.update(1))


def _show(found: "Results", earlier: "Results | None") -> None:
    from mcp_memory.evaluation.compare import compare, compare_results
    from mcp_memory.evaluation.table import difference_line, rank_table, text_table

    for name, report in found.systems.items():
        print(f"\n{found.suite}, {found.file}: {name}\n{text_table(report)}")
    for name, ranks in found.ranks.items():
        print(f"\n{found.suite}, rank of the hidden cue's scene: {name}\n{rank_table(ranks)}")
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
    check_writable(options.into)
    text = _text_of(options.into)
    before, begun, rest = text.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not (begun and ended):
        raise InputError(f"{options.into} has no lines {_BEGIN} and {_END} to put the table between")
    with replacing(options.into) as fresh:
        fresh.write_text(f"{before}{_BEGIN}\n\n{table}\n{_END}{after}", encoding="utf-8")
    return 0


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no text in UTF-8") from None
