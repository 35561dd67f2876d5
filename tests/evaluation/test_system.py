from pathlib import Path

from mcp_memory.embed.hashing import HashingEmbedder
from mcp_memory.evaluation.cases import Case, Line, Talk
from mcp_memory.evaluation.run import Build, evaluate
from mcp_memory.evaluation.system import ours
from mcp_memory.settings import Settings


def build(tmp_path: Path) -> Build:
    folder = tmp_path / "folders"
    folder.mkdir()
    return ours(Settings(), folder, HashingEmbedder())


def test_the_memory_names_the_lines_by_the_benchmarks_ids(case: Case, tmp_path: Path) -> None:
    report = evaluate([case], build(tmp_path), budgets=(512,))
    assert [row.recall for row in report.rows[:2]] == [1.0, 1.0]


def test_nothing_that_was_said_later_is_recalled(talk: Talk, tmp_path: Path) -> None:
    recall = build(tmp_path)(talk)
    before = talk.lines[3].at
    named = {name for names, _ in recall("peppers, Lisbon, bees", before) for name in names}
    assert named <= {line.id for line in talk.lines if line.at <= before}


def test_talks_do_not_mix(talk: Talk, tmp_path: Path) -> None:
    both = build(tmp_path)
    both(talk)
    other = Talk("other", (Line("X1", "user", "user", "I have a parrot.", talk.lines[0].at, 1),))
    recall = both(other)
    assert {name for names, _ in recall("hailstorm parrot", talk.lines[-1].at) for name in names} <= {"X1"}
