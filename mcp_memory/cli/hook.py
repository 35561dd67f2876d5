"""`mcp-memory hook`: what Claude Code's hooks hand over on standard input, done whether the model thinks of it or not.

A hook must never stand in the way: whatever goes wrong is one line on stderr, nothing on stdout, and status 0 (2 would
block the prompt).
"""

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from mcp_memory.cli.opened import opened
from mcp_memory.errors import InputError, MemoryFault
from mcp_memory.settings import Settings
from mcp_memory.text.clean import clean, plain
from mcp_memory.text.tokens import cut_tokens
from mcp_memory.text.transcript import Exchange, Message, last_exchange, spoken

if TYPE_CHECKING:
    from mcp_memory.engine import Memory
    from mcp_memory.model.query import Answer
    from mcp_memory.model.turn import Turn

Event = Mapping[str, Any]

PROMPT_TOKENS: Final = 400  # they are paid for with every prompt and stay in the chat: a few lines, no search result
BRIEFING_TOKENS: Final = 600  # a whole persona
FIRST_TAIL: Final = 1 << 20  # bytes read from a transcript's end; transcripts hold every file that was looked at
MOST_TAIL: Final = 64 << 20


def add(_name: str, command: argparse.ArgumentParser) -> None:
    """Declares the command."""
    command.set_defaults(run=hook, failed=0)


def hook(settings: Settings, _options: argparse.Namespace) -> int:
    """Serves one event and prints what is to be added to the chat, if anything; 0 in any case."""
    from mcp_memory.stdio import kept_clean

    gc.disable()  # a tenth of the time, in a process that ends before it matters
    try:
        with kept_clean():
            event = _read(sys.stdin.buffer)
            context = _served(settings, event)
    except MemoryFault:
        raise
    except Exception as error:  # noqa: BLE001 - the chat goes on whatever happens here
        print(f"mcp-memory: the hook failed ({type(error).__name__}): run mcp-memory doctor", file=sys.stderr)
        return 0
    finally:
        gc.enable()
    if context:
        # plain text would do as well, but ASCII in JSON survives any console's encoding
        said = {"hookEventName": event["hook_event_name"], "additionalContext": context}
        print(json.dumps({"hookSpecificOutput": said}))
    return 0


def _read(stream: BinaryIO) -> Event:
    if stream.isatty():
        raise InputError(
            "`hook` is for clients, which hand it an event; `mcp-memory install claude-code --hooks` sets it up"
        )
    try:
        event = json.loads(stream.read())
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise InputError("a hook's event is a JSON object on standard input")
    return event


def _served(settings: Settings, event: Event) -> str:
    name = _text(event, "hook_event_name")
    if name not in _EVENTS:
        raise InputError(
            f"there is nothing to do for the event {plain(name)[:40]!r}; `hook` serves {', '.join(_EVENTS)}"
        )
    # a gate that asks a model would have every prompt wait for it
    quick = settings.model_copy(update={"recall": settings.recall.model_copy(update={"gate": "score"})})
    with opened(quick, to_write=name == "Stop") as memory:
        return _EVENTS[name](memory, event)


def _text(event: Event, key: str) -> str:
    value = event.get(key)
    return clean(value) if isinstance(value, str) else ""


# ---------------------------------------------------------------------- events


def _prompted(memory: "Memory", event: Event) -> str:
    """What was said in other chats that shares words with the prompt.

    By words only: the encoder would take as long again to load, and by meaning something is always nearest, also to
    "commit and push", while most prompts to a coding assistant have nothing to do with the past.
    """
    from mcp_memory.importers.claude_code import session_name
    from mcp_memory.model.query import Query
    from mcp_memory.prompts import sections
    from mcp_memory.views import MOST_QUERY, answer_text

    said = spoken(_text(event, "prompt"))[:MOST_QUERY]
    if not said:
        return ""
    answer = memory.recall(Query(said, memory.owner, memory.now(), "simple", max_tokens=PROMPT_TOKENS))
    found = _new_here(memory, answer, session_name(_text(event, "session_id")))
    return f"{sections('hook')['prompt']}\n\n{answer_text(found)}" if found.hits else ""


def _new_here(memory: "Memory", answer: "Answer", session: str) -> "Answer":
    """The lines that were found by themselves, not for a neighbour's sake, and are not from this very chat."""
    here = {turn.source for turn in memory.corpus.turns.values() if turn.session == session}
    hits = tuple(hit for hit in answer.hits if hit.score > 0 and not (hit.sources and here.issuperset(hit.sources)))
    return replace(answer, hits=hits, notices=())


def _stopped(memory: "Memory", event: Event) -> str:
    """Stores the last exchange, once: what the assistant says to other hooks after it is no reply to the person."""
    from mcp_memory.write.once import is_kept

    exchange = _transcribed(Path(_text(event, "transcript_path")).expanduser())
    if exchange is not None:
        turns = list(_turns(memory, exchange, _text(event, "last_assistant_message")))
        if not is_kept(memory.store, turns[0]):
            memory.store.journal.append(turns, revive=False)
    return ""


def _turns(memory: "Memory", exchange: Exchange, latest: str) -> "Iterator[Turn]":
    """The turns of an exchange as an import of the transcript would make them, so that it adds nothing later."""
    from mcp_memory.importers.claude_code import found
    from mcp_memory.importers.messages import Damaged, as_turns

    said, reply = [*exchange.said], exchange.reply
    if latest and not exchange.over and not (reply and reply.text.endswith(latest.strip())):
        # the client calls before it has written the reply to the transcript
        reply = Message("", said[0].session, memory.now(), "assistant", latest)
    messages = [found(one, "the transcript") for one in (*said, reply) if one]
    for turn in as_turns(messages, memory.owner, memory.zone, secrets_out=memory.settings.redact):
        if isinstance(turn, Damaged):
            raise InputError(f"{turn.where}: {turn.why}")
        yield turn


def _started(memory: "Memory", _event: Event) -> str:
    """Who the owner is; nothing as long as nothing is known."""
    from mcp_memory.prompts import sections
    from mcp_memory.views import persona

    memory.load()  # what waits is indexed on the way, with its vectors
    text, known = persona(memory, "", "")
    shown = known.portrait or any(known.keys.values())
    return f"{sections('hook')['session']}\n\n{cut_tokens(text, BRIEFING_TOKENS)}" if shown else ""


_EVENTS: Final[Mapping[str, Callable[["Memory", Event], str]]] = {
    "UserPromptSubmit": _prompted,
    "Stop": _stopped,
    "SessionStart": _started,
}


def _transcribed(path: Path) -> Exchange | None:
    """The last exchange of a transcript, read from its end as far back as the prompt."""
    try:
        with path.open("rb") as file:
            size, reach = file.seek(0, os.SEEK_END), FIRST_TAIL
            while True:
                file.seek(max(0, size - reach))
                lines = file.read(reach).split(b"\n")[int(reach < size) :]
                found = last_exchange(lines)
                if (found and not found.said[0].queued) or reach >= min(size, MOST_TAIL):
                    return found
                reach *= 8
    except OSError as error:
        raise InputError(f"the transcript cannot be read: {error.strerror}") from None
