"""Figures for people: plain text for a terminal, Markdown for the README."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from mcp_memory.evaluation.answering import Grades
from mcp_memory.evaluation.compare import Difference
from mcp_memory.evaluation.report import CUTOFFS, Figures, RankReport, Report
from mcp_memory.evaluation.results import Results

OVERALL: Final = "OVERALL"
MOST_NAMED: Final = 12  # conversations of a split
_COLUMNS: Final[tuple[tuple[str, Callable[[Figures], float], int], ...]] = (
    ("n", lambda figures: figures.n, 0),
    ("recall", lambda figures: figures.recall, 3),
    ("claimed", lambda figures: figures.claimed, 3),
    ("all", lambda figures: figures.full, 3),
    ("any", lambda figures: figures.some, 3),
    ("answer", lambda figures: figures.answer, 3),
    ("tokens", lambda figures: figures.tokens, 0),
    ("returned", lambda figures: figures.returned, 0),
    ("items", lambda figures: figures.items, 0),
    ("p50 ms", lambda figures: figures.p50_ms, 1),
    ("p95 ms", lambda figures: figures.p95_ms, 1),
)


def text_table(report: Report) -> str:
    """Figures by budget and category; OVERALL leaves out what has nothing to find."""
    lines = [f"{'budget':>6s} {'category':26s}" + "".join(f"{name:>9s}" for name, _, _ in _COLUMNS)]
    for budget in report.budgets:
        for category in (*report.categories, ""):
            figures = report.figures(budget, category)
            cells = "".join(f"{_number(value(figures), places):>9s}" for _, value, places in _COLUMNS)
            lines.append(f"{budget:6d} {category or OVERALL:26s}{cells}")
    return "\n".join(lines)


def rank_table(report: RankReport, cutoffs: Sequence[int] = CUTOFFS) -> str:
    """R@k of the hidden cue's scene by relation type."""
    lines = [f"{'relation':26s}{'n':>9s}" + "".join(f"{f'R@{k}':>9s}" for k in cutoffs)]
    for category in (*report.categories, ""):
        hits = report.hits(category, cutoffs)
        cells = "".join(f"{_number(hits[k], 3):>9s}" for k in cutoffs)
        lines.append(f"{category or OVERALL:26s}{report.count(category):9d}{cells}")
    return "\n".join(lines)


def grades_table(grades: Grades) -> str:
    """How many answers were right by category, and what was not asked."""
    accuracy = grades.accuracy()
    lines = [f"{'category':26s}{'n':>9s}{'right':>9s}"]
    for category in sorted(accuracy, key=lambda name: (not name, name)):
        count, share = accuracy[category]
        lines.append(f"{category or OVERALL:26s}{count:9d}{_number(share, 3):>9s}")
    if grades.failed:
        lines.append(f"{grades.failed} questions got no usable reply and are not counted")
    if grades.stopped:
        lines.append(f"stopped early: {grades.stopped}")
    return "\n".join(lines)


def difference_line(difference: Difference) -> str:
    """One line: the difference in recall, its interval, and whether it leaves out 0."""
    verdict = "certain" if difference.certain else "within chance"
    return (
        f"recall {difference.delta:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}] ({verdict}), "
        f"n {difference.n}, better {difference.better}, worse {difference.worse}"
    )


def markdown_table(runs: Iterable[Results], budgets: Sequence[int] = (512, 1024, 2048)) -> str:
    """Runs side by side, one line a system; below, what was run on which data with which version.

    Tokens are those returned for the middle budget, which is the default one.
    """
    recalls = [f"recall @{budget}" for budget in budgets]
    lines = [_markdown_row("suite", "system", *recalls, f"tokens @{_middle(budgets)}", "p95 ms", "run")]
    lines.append(_markdown_row("---", "---", *("--:" for _ in budgets), "--:", "--:", "--:"))
    notes = []
    for number, results in enumerate(runs, start=1):
        scribe = results.switches.get("scribe", "")
        for place, (name, report) in enumerate(results.systems.items()):
            shown = f"{name}, {scribe}" if place == 0 and scribe else name
            lines.append(_system_row(results.suite, shown, report, budgets, number))
        notes.append(_note(number, results))
    return "\n".join([*lines, "", *notes]) + "\n"


def _system_row(suite: str, name: str, report: Report, budgets: Sequence[int], number: int) -> str:
    recalls = (_fraction(report.figures(budget).recall) for budget in budgets)
    usual = report.figures(_middle(budgets))
    return _markdown_row(suite, name, *recalls, _number(usual.returned, 0), _number(usual.p95_ms, 0), str(number))


def _note(number: int, results: Results) -> str:
    switches = ", ".join(f"{key} {value}" for key, value in results.switches.items()) or "defaults"
    count = next((report.figures(report.budgets[0]).n for report in results.systems.values() if report.rows), 0)
    hits = [f"R@{k} {_fraction(hit)}" for one in results.ranks.values() for k, hit in one.hits().items()]
    return (
        f"{number}. `{results.command}`, version {results.version}, {switches}; "
        f"{results.file} (sha256 {results.sha256[:12]}…): {', '.join(results.conversations[:MOST_NAMED])}, "
        f"{count} questions" + (f"; rank of the hidden cue's scene: {', '.join(hits)}" if hits else "")
    )


def _middle(budgets: Sequence[int]) -> int:
    return budgets[len(budgets) // 2]


def _fraction(share: float) -> str:
    return _number(share, 3).lstrip("0") or "0"


def _markdown_row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _number(value: float, places: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{places}f}"
