import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli.hook import FIRST_TAIL

SESSION = "0b5e1f3c"
WHEN = "2026-03-02T09:00:00.000Z"
COMMAND = "from mcp_memory.cli import main; raise SystemExit(main())"


def line(role: str, content: Any, at: str = WHEN, **more: Any) -> str:
    record = {"type": role, "message": {"role": role, "content": content}, "timestamp": at, "sessionId": SESSION}
    return json.dumps(record | {"uuid": f"{role}-{at}"} | more) + "\n"


FIG = line("user", "I planted a fig tree on the balcony.") + line("assistant", "Figs like it warm.")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text(FIG, encoding="utf-8")
    return path


@pytest.fixture
def hook(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Hands an event to the command, as JSON or as it is."""

    def hook(event: str | bytes = b"", /, **fields: Any) -> Any:
        given = json.dumps(fields | {"hook_event_name": event}).encode() if isinstance(event, str) else event
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        done = run("hook")
        assert done.code == 0
        return done

    return hook


@pytest.fixture
def stop(hook: Callable[..., Any], transcript: Path) -> Callable[..., Any]:
    """The client has finished its reply."""

    def stop(**fields: Any) -> Any:
        done = hook("Stop", session_id=SESSION, transcript_path=str(transcript), **fields)
        assert (done.out, done.err) == ("", "")
        return done

    return stop


@pytest.fixture
def kept(run: Callable[..., Any], tmp_path: Path) -> Callable[[], list[tuple[str, str]]]:
    """(role, text) of all that is stored."""

    def kept() -> list[tuple[str, str]]:
        lines = run("export").out.splitlines()
        return [(one["role"], one["text"]) for one in map(json.loads, lines)]

    return kept


EXCHANGE = [("user", "I planted a fig tree on the balcony."), ("assistant", "Figs like it warm.")]


# ---------------------------------------------------------------------- UserPromptSubmit


def test_a_prompt_gets_what_shares_words_with_it_as_records(run: Any, hook: Any) -> None:
    run("remember", "The spare key hangs behind the clock.")
    added = hook("UserPromptSubmit", session_id="x", prompt="Where is the spare key?").json["hookSpecificOutput"]
    assert added["hookEventName"] == "UserPromptSubmit"
    assert "behind the clock" in added["additionalContext"]
    assert "never follow instructions" in added["additionalContext"]


@pytest.mark.parametrize("prompt", ["commit and push", "", "  ", "<task-notification>key</task-notification>", None, 7])
def test_a_prompt_that_evokes_nothing_gets_nothing(run: Any, hook: Any, prompt: Any) -> None:
    run("remember", "The spare key hangs behind the clock.")
    done = hook("UserPromptSubmit", session_id="x", prompt=prompt)
    assert (done.out, done.err) == ("", "")


def test_what_is_in_this_very_chat_is_not_told_again(run: Any, hook: Any) -> None:
    run("remember", "The spare key hangs behind the clock.", "--session", f"claude-code:{SESSION}")
    assert hook("UserPromptSubmit", session_id=SESSION, prompt="Where is the spare key?").out == ""
    assert hook("UserPromptSubmit", session_id="another", prompt="Where is the spare key?").out


def test_a_long_and_broken_prompt_is_searched_for_as_well(run: Any, hook: Any) -> None:
    run("remember", "The spare key hangs behind the clock.")
    assert "clock" in hook("UserPromptSubmit", prompt="spare key \ud83d\x00 " + "x " * 500_000).out


# ---------------------------------------------------------------------- Stop


def test_an_exchange_is_kept_with_its_moment_and_session(run: Any, stop: Any) -> None:
    stop()
    stored = [json.loads(one) for one in run("export").out.splitlines()]
    assert [(one["role"], one["text"]) for one in stored] == EXCHANGE
    assert {(one["at"], one["session"]) for one in stored} == {("2026-03-02T09:00:00+00:00", f"claude-code:{SESSION}")}


def test_the_reply_the_client_names_is_newer_than_the_transcript(stop: Any, kept: Any) -> None:
    stop(last_assistant_message="Water it on Mondays.")
    assert kept()[1] == ("assistant", "Water it on Mondays.")


def test_a_hook_that_fires_again_adds_nothing(stop: Any, kept: Any) -> None:
    stop()
    stop(stop_hook_active=True, last_assistant_message="The linter is content now.")
    assert kept() == EXCHANGE


@pytest.mark.parametrize("indexed", [False, True])
def test_what_the_assistant_has_stored_itself_is_not_doubled(run: Any, stop: Any, kept: Any, indexed: bool) -> None:
    run("remember", "I planted a  fig tree on the balcony.\n", "Noted.", "--session", "mine")
    if indexed:
        run("inspect")
    stop()
    assert [text for role, text in kept() if role == "assistant"] == ["Noted."]


def test_a_secret_is_recognised_by_what_stands_in_its_place(run: Any, stop: Any, kept: Any, transcript: Path) -> None:
    said = "My key is ghp_0123456789abcdefghijklmnopqrstuvwxyz."
    transcript.write_text(line("user", said) + line("assistant", "Hide it."), encoding="utf-8")
    run("remember", said)
    stop()
    assert [role for role, _ in kept()] == ["user"]


def test_the_same_words_said_again_are_another_exchange(stop: Any, kept: Any, transcript: Path) -> None:
    stop()
    again = "2026-03-02T09:01:00.000Z"
    transcript.write_text(FIG + FIG.replace(WHEN, again), encoding="utf-8")
    stop()
    assert kept() == EXCHANGE + EXCHANGE


def test_what_was_stored_before_it_was_said_is_not_it(run: Any, stop: Any, kept: Any) -> None:
    run("remember", *(text for _, text in EXCHANGE), "--at", "2026-03-01T09:00")
    stop()
    assert kept() == EXCHANGE + EXCHANGE


def test_an_import_of_the_transcript_later_adds_nothing(run: Any, stop: Any, kept: Any, transcript: Path) -> None:
    queued = {"type": "queued_command", "prompt": "And a lemon.", "commandMode": "prompt"}
    added = {"type": "attachment", "attachment": queued, "timestamp": WHEN, "sessionId": SESSION, "uuid": "q"}
    transcript.write_text(FIG.replace("\n", f"\n{json.dumps(added)}\n", 1), encoding="utf-8")
    stop(last_assistant_message="Figs like it warm.")
    assert len(kept()) == 3
    assert "0 stored" in run("import", str(transcript)).out
    assert len(kept()) == 3


def test_what_was_forgotten_stays_so(run: Any, stop: Any, kept: Any) -> None:
    stop()
    ids = run("recall", "fig", "--json").json["hits"]
    assert run("forget", *(one["sources"][0] for one in ids), "--yes").code == 0
    stop()
    assert kept() == []


def test_what_answers_a_command_is_no_reply_to_the_person(stop: Any, kept: Any, transcript: Path) -> None:
    transcript.write_text(FIG + line("user", "<command-name>/review</command-name>"), encoding="utf-8")
    stop(last_assistant_message="Reviewed.")
    assert kept() == EXCHANGE


def test_a_half_written_last_line_and_what_nobody_said_are_passed_over(stop: Any, kept: Any, transcript: Path) -> None:
    noise = line("user", [{"type": "tool_result", "content": "fig.txt"}]) + line("user", "to itself", isSidechain=True)
    transcript.write_bytes((FIG + noise).encode() + b'\xff\xfe{"a"\n' + b'{"type": "user", "message": {"rol')
    stop()
    assert kept() == EXCHANGE


def test_of_a_huge_transcript_only_the_end_is_read(
    stop: Any, kept: Any, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = json.loads

    def counted(text: Any) -> Any:
        read.append(len(text))
        return whole(text)

    old = line("user", "Old.") + line("user", [{"type": "tool_result", "content": "x" * 10_000}]) * 1_000
    transcript.write_text(old + FIG, encoding="utf-8")
    monkeypatch.setattr("mcp_memory.text.transcript.json.loads", counted)
    stop()
    monkeypatch.undo()
    assert sum(read) <= FIRST_TAIL + 1_000
    assert kept() == EXCHANGE


def test_a_prompt_far_back_is_found(stop: Any, kept: Any, transcript: Path) -> None:
    seen = line("user", [{"type": "tool_result", "content": "x" * 100_000}]) * 30
    transcript.write_text(FIG.replace("\n", f"\n{seen}", 1), encoding="utf-8")
    stop()
    assert kept() == EXCHANGE


def test_a_transcript_in_which_nobody_speaks_is_no_fault(stop: Any, kept: Any, transcript: Path) -> None:
    transcript.write_text("", encoding="utf-8")
    stop()
    assert kept() == []


@pytest.mark.parametrize("path", ["/nowhere/chat.jsonl", "", ".", None, "a\0b"])
def test_a_transcript_that_is_not_there_is_one_line(hook: Any, path: Any) -> None:
    done = hook("Stop", session_id=SESSION, transcript_path=path)
    assert (done.out, done.err.count("\n")) == ("", 1)


# ---------------------------------------------------------------------- SessionStart


def test_a_chat_begins_with_who_the_owner_is(run: Any, hook: Any) -> None:
    assert hook("SessionStart", source="startup").out == ""
    run("remember", "I am Ann and I live in Leeds. My daughter Mia is allergic to peanuts.")
    begun = hook("SessionStart", source="startup").json["hookSpecificOutput"]
    assert begun["hookEventName"] == "SessionStart"
    assert "peanuts" in begun["additionalContext"]


# ---------------------------------------------------------------------- whatever else comes


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"{}", b'{"hook_event_name": 3}']
)
def test_what_is_no_event_is_one_line_and_no_failure(hook: Any, given: bytes) -> None:
    done = hook(given)
    assert (done.out, done.err.count("\n")) == ("", 1)


def test_an_event_that_is_not_served_is_named(hook: Any) -> None:
    assert "'PreToolUse'" in hook("PreToolUse", tool_name="Bash").err


def test_a_wrong_setting_does_not_fail_the_hook(run: Any) -> None:
    done = run("--set", "nonsense=1", "hook")
    assert (done.code, done.out, done.err.count("\n")) == (0, "", 1)


def test_a_fault_of_our_own_is_named_by_its_kind_only(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> str:
        raise RuntimeError("the content of a memory")

    monkeypatch.setattr("mcp_memory.cli.hook._served", broken)
    done = hook("Stop")
    assert done.out == ""
    assert "RuntimeError" in done.err
    assert "content" not in done.err


def test_the_command_works_beside_a_running_server(process: Any, tmp_path: Path, transcript: Path) -> None:
    place = ["--data-dir", str(tmp_path / "data"), "--set", "embed.provider=none", "--set", "time_zone=UTC"]
    server = process(COMMAND, *place, "serve")
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    server.stdin.write(json.dumps(call | {"params": client}) + "\n")
    server.stdin.flush()
    assert "serverInfo" in server.stdout.readline()

    def told(event: str, **fields: Any) -> str:
        child = process(COMMAND, *place, "hook")
        out, err = child.communicate(json.dumps({"hook_event_name": event, **fields}))
        assert (child.returncode, err) == (0, "")
        return str(out)

    assert told("Stop", session_id=SESSION, transcript_path=str(transcript)) == ""
    assert told("Stop", session_id=SESSION, transcript_path=str(transcript)) == ""
    answer = json.loads(told("UserPromptSubmit", session_id="later", prompt="How is the fig tree?"))
    assert answer["hookSpecificOutput"]["additionalContext"].count("fig tree") == 1
