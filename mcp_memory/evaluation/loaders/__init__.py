"""Benchmark files, each in its authors' own format, as cases."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, get_args

from mcp_memory.errors import InputError
from mcp_memory.evaluation.cases import Case
from mcp_memory.evaluation.loaders.beam import load_beam
from mcp_memory.evaluation.loaders.casefile import is_case_file, load_case_file
from mcp_memory.evaluation.loaders.locomo import load_locomo
from mcp_memory.evaluation.loaders.locomo_plus import load_locomo_plus
from mcp_memory.evaluation.loaders.longmemeval import load_longmemeval
from mcp_memory.evaluation.loaders.place import MisshapenError

Suite = Literal["locomo", "locomo-plus", "longmemeval", "beam"]
SUITES: Final[tuple[Suite, ...]] = get_args(Suite)
_EXPECTED: Final[Mapping[Suite, str]] = {
    "locomo": "locomo10.json",
    "locomo-plus": "locomo_plus.json, with locomo10.json beside it or named",
    "longmemeval": "longmemeval_oracle.json",
    "beam": "a folder of numbered folders, each with chat.json and its probing questions",
}
_CATEGORIES: Final[Mapping[Suite, frozenset[str]]] = {
    "locomo": frozenset({"single-hop", "multi-hop", "temporal", "open-domain", "adversarial"}),
    "locomo-plus": frozenset({"causal", "state", "goal", "value"}),
    "longmemeval": frozenset(
        {
            *("single-session-user", "single-session-assistant", "single-session-preference"),
            *("multi-session", "temporal-reasoning", "knowledge-update"),
        }
    ),
    "beam": frozenset(
        {
            *("contradiction_resolution", "event_ordering", "information_extraction", "instruction_following"),
            *("knowledge_update", "multi_session_reasoning", "preference_following", "summarization"),
            "temporal_reasoning",
        }
    ),
}


def load_cases(suite: Suite, path: Path, *, locomo: Path | None = None) -> list[Case]:
    """The cases of a benchmark file or folder.

    A file of prepared cases (one JSON object with "conversation" and "questions" a line) is known by
    its first line; its categories must not be another suite's.  `locomo` is the file that LoCoMo-Plus hides its
    cues in, by default locomo10.json beside `path`.  Raises InputError when the file is missing, of another format
    (with the place where it departs from it), of another suite, or without questions.
    """
    try:
        cases = load_case_file(path) if is_case_file(path) else _load_original(suite, path, locomo)
    except OSError as error:
        raise InputError(
            f"cannot read {error.filename}: {error.strerror}; {suite} expects {_EXPECTED[suite]}"
        ) from None
    except MisshapenError as error:
        raise InputError(f"{path}: {error}; {suite} expects {_EXPECTED[suite]}") from None
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        kind = "not valid JSON" if isinstance(error, json.JSONDecodeError) else "of another format"
        raise InputError(f"{path} is {kind}; {suite} expects {_EXPECTED[suite]}") from error
    if not any(case.questions for case in cases):
        raise InputError(f"{path} holds no questions; {suite} expects {_EXPECTED[suite]}")
    if (other := _other_suite(suite, cases)) is not None:
        raise InputError(f"the questions of {path} are not of {suite}, but of {other} by their categories: name that")
    return cases


def _other_suite(suite: Suite, cases: Iterable[Case]) -> Suite | None:
    """The suite that most of the foreign questions come from; categories that no suite has are somebody's own."""
    foreign = Counter(
        name
        for case in cases
        for question in case.questions
        for name in SUITES
        if question.category in _CATEGORIES[name] and question.category not in _CATEGORIES[suite]
    )
    return foreign.most_common(1)[0][0] if foreign else None


def _load_original(suite: Suite, path: Path, locomo: Path | None) -> list[Case]:
    match suite:
        case "locomo":
            return load_locomo(path)
        case "locomo-plus":
            return load_locomo_plus(path, locomo or path.with_name("locomo10.json"))
        case "longmemeval":
            return load_longmemeval(path)
        case "beam":
            return load_beam(path)
