import json
import math
from pathlib import Path

import pytest

from mcp_memory.errors import InputError
from mcp_memory.evaluation.compare import compare, compare_results
from mcp_memory.evaluation.report import Rank, RankReport, Report
from mcp_memory.evaluation.results import Results, fingerprint, read_results, write_results
from mcp_memory.evaluation.scoring import Row
from mcp_memory.evaluation.table import difference_line, markdown_table, rank_table, text_table


def report(recalls: list[float]) -> Report:
    return Report(
        tuple(
            Row(f"q{n}", "single", budget, recall, recall, 0.5 if n else math.nan, 10, 20, 2, 0.001)
            for n, recall in enumerate(recalls)
            for budget in (512, 2048)
        )
    )


@pytest.fixture
def results() -> Results:
    return Results(
        suite="locomo",
        file="locomo10.json",
        sha256="0123456789abcdef" * 4,
        command="mcp-memory eval locomo locomo10.json",
        version="1.0.0",
        conversations=("conv-26",),
        switches={"scribe": "rules"},
        systems={"mcp-memory": report([0, 1, 0.5, 1, 0, 1]), "BM25": report([0, 0.5, 0.5, 0, 1, 0])},
        ranks={"mcp-memory": RankReport((Rank("q0", "causal", 3, 40),))},
    )


def test_a_run_is_read_back_as_it_was_written(results: Results, tmp_path: Path) -> None:
    write_results(results, tmp_path / "a.json")
    write_results(read_results(tmp_path / "a.json"), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    again = read_results(tmp_path / "a.json")
    assert again.systems["BM25"].figures(512) == results.systems["BM25"].figures(512)
    assert again.ranks == results.ranks


def test_a_run_is_strict_json(results: Results, tmp_path: Path) -> None:
    write_results(results, tmp_path / "a.json")
    assert "NaN" not in (tmp_path / "a.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "mcp-memory-eval/1"}', '{"format": "mcp-memory-eval/9"}']
)
def test_what_is_no_run_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.json"):
        read_results(path)


def test_a_damaged_row_is_refused(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_results(results, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["systems"]["BM25"][0]["recall"]
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="not a results file"):
        read_results(path)


def test_a_missing_run_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_results(tmp_path / "a.json")


def test_a_fingerprint_changes_with_content_and_covers_folders(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    file = tmp_path / "1" / "chat.json"
    file.write_text("[]", encoding="utf-8")
    before = fingerprint(file), fingerprint(tmp_path)
    file.write_text("[1]", encoding="utf-8")
    assert fingerprint(file) != before[0]
    assert fingerprint(tmp_path) != before[1]


def test_the_paired_difference_agrees_with_the_yardstick() -> None:
    difference = compare(report([0, 1, 0.5, 1, 0, 1]), report([0, 0.5, 0.5, 0, 1, 0]), 512)
    assert (difference.n, difference.delta, difference.better, difference.worse) == (6, 0.25, 3, 1)
    assert (difference.low, difference.high) == (pytest.approx(-1 / 3), pytest.approx(0.75))
    assert not difference.certain


def test_a_difference_that_leaves_out_zero_is_certain() -> None:
    assert compare(report([1, 1, 1]), report([0, 0, 0]), 512).certain


def test_runs_of_different_files_are_not_compared(results: Results) -> None:
    other = Results("locomo", "x", "ff", "c", "1", results.systems)
    with pytest.raises(InputError, match="different benchmark files"):
        compare_results(results, other, "BM25", 512)


def test_a_system_or_budget_that_was_not_run_is_named(results: Results) -> None:
    with pytest.raises(InputError, match="no system 'oracle'"):
        compare_results(results, results, "oracle", 512)
    with pytest.raises(InputError, match="no question at 64"):
        compare_results(results, results, "BM25", 64)
    assert compare_results(results, results, "BM25", 512).delta == 0


def test_the_text_table_has_a_line_per_budget_and_category(results: Results) -> None:
    lines = text_table(results.systems["mcp-memory"]).splitlines()
    assert len(lines) == 5
    assert len({len(line) for line in lines}) == 1
    assert lines[2].split()[:4] == ["512", "OVERALL", "6", "0.583"]


def test_the_rank_table_has_a_line_per_relation(results: Results) -> None:
    header, causal, overall = rank_table(results.ranks["mcp-memory"]).splitlines()
    assert header.split()[-1] == "R@20"
    assert causal.split() == ["causal", "1", "0.000", "1.000", "1.000", "1.000"]
    assert overall.startswith("OVERALL")


def test_the_markdown_table_names_file_command_and_version(results: Results) -> None:
    text = markdown_table([results], budgets=(512, 2048))
    assert "| locomo | mcp-memory, rules | .583 | .583 | 20 | 1 | 1 |" in text
    assert "| locomo | BM25 | .333 | .333 | 20 | 1 | 1 |" in text
    assert "1. `mcp-memory eval locomo locomo10.json`, version 1.0.0, scribe rules; " in text
    assert (
        "locomo10.json (sha256 0123456789ab…): conv-26, 6 questions; rank of the hidden cue's scene: R@1 .000" in text
    )


def test_a_budget_that_was_not_run_is_a_dash(results: Results) -> None:
    assert "| – |" in markdown_table([results], budgets=(64, 512))


def test_a_difference_is_one_line() -> None:
    line = difference_line(compare(report([1, 1, 1]), report([0, 0, 0]), 512))
    assert line == "recall +1.000 [+1.000, +1.000] (certain), n 3, better 3, worse 0"
