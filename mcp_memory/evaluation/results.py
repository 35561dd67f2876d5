"""Results on disk: what was run on what, and every question's row, so that any run can be compared later."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from mcp_memory.errors import InputError
from mcp_memory.evaluation.answering import Grade
from mcp_memory.evaluation.report import Rank, RankReport, Report
from mcp_memory.evaluation.scoring import Row

FORMAT: Final = "mcp-memory-eval/1"
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Results:
    """One run of one suite: the memory, then its references, by name.

    `file` is the benchmark file's name and `sha256` its content's hash; `conversations` name what it held, `command`
    is what was typed; `switches` the scribe and what was switched off; `ranks` where cue scenes stood (LoCoMo-Plus);
    `grades` which answers a language model found right, where one was asked.
    """

    suite: str
    file: str
    sha256: str
    command: str
    version: str
    systems: Mapping[str, Report]
    conversations: tuple[str, ...] = ()
    switches: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, RankReport] = field(default_factory=dict)
    grades: tuple[Grade, ...] = ()


def fingerprint(path: Path) -> str:
    """SHA-256 of a benchmark file, or of a folder's files with their names in order."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(entry for entry in path.rglob("*") if entry.is_file())
    for file in files:
        digest.update(file.relative_to(path).as_posix().encode())
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def write_results(results: Results, path: Path) -> None:
    """Write a run as JSON; a question without a gold answer has `answer: null`."""
    document = {
        "format": FORMAT,
        "suite": results.suite,
        "file": results.file,
        "sha256": results.sha256,
        "command": results.command,
        "version": results.version,
        "conversations": list(results.conversations),
        "switches": dict(results.switches),
        "systems": {name: [_plain(row) for row in report.rows] for name, report in results.systems.items()},
        "ranks": {name: [asdict(rank) for rank in report.ranks] for name, report in results.ranks.items()},
        "grades": [asdict(grade) for grade in results.grades],
    }
    path.write_text(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def read_results(path: Path) -> Results:
    """Raises InputError when the file is missing, damaged or of another format."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise InputError(f"{path} has another format than {FORMAT}: run `mcp-memory eval` again")
        return _results(document)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InputError(f"{path} is not a results file of `mcp-memory eval`") from None


def _results(document: Any) -> Results:
    return Results(
        suite=document["suite"],
        file=document["file"],
        sha256=document["sha256"],
        command=document["command"],
        version=document["version"],
        conversations=tuple(document["conversations"]),
        switches=document["switches"],
        systems={name: Report(tuple(_row(row) for row in rows)) for name, rows in document["systems"].items()},
        ranks={name: RankReport(tuple(Rank(**rank) for rank in ranks)) for name, ranks in document["ranks"].items()},
        grades=tuple(Grade(**grade) for grade in document["grades"]),
    )


def _plain(row: Row) -> dict[str, Any]:
    values = asdict(row)
    return values | {"answer": None} if math.isnan(row.answer) else values


def _row(raw: Any) -> Row:
    return Row(**raw | {"answer": math.nan if raw["answer"] is None else raw["answer"]})
