"""The data export of claude.ai: `conversations.json`, a list of conversations with their messages in order."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from mcp_memory.importers.messages import Damaged, Entry, Found
from mcp_memory.importers.reading import Shape, any_has, conversations, shaped
from mcp_memory.importers.source import Source
from mcp_memory.text.clean import has_visible

_SPOKEN: Final = ("text", "voice_note")  # others are thoughts and tools


class _Block(Shape):
    type: str
    text: str | None = None


class _Message(Shape):
    sender: Literal["human", "assistant"]
    uuid: str | None = None
    text: str | None = None
    content: list[_Block] | None = None
    created_at: str | None = None


class _Conversation(Shape):
    chat_messages: list[Any]
    uuid: str | None = None
    created_at: str | None = None


def looks_so(source: Source) -> bool:
    """Whether one of the first conversations has messages of claude.ai."""
    return any_has(source, "chat_messages")


def read(source: Source) -> Iterator[Entry]:
    """The messages of all conversations."""
    return conversations(source, _Conversation, _messages)


def _messages(where: str, talk: _Conversation) -> Iterator[Entry]:
    session, at = f"claude:{talk.uuid or where}", talk.created_at
    for number, value in enumerate(talk.chat_messages, 1):
        message = shaped(_Message, value, f"{where}, message {number}")
        if isinstance(message, Damaged):
            yield message
        elif text := _spoken(message):
            at = message.created_at or at
            role = "user" if message.sender == "human" else "assistant"
            ref = f"claude:{message.uuid}" if message.uuid else None
            said = {"role": role, "at": at, "text": text, "session": session, "id": ref}
            yield Found(f"{where}, message {number}", said)


def _spoken(message: _Message) -> str:
    """The words among the blocks; `text`, which has remarks in the place of tools, only where there are none."""
    blocks = [block.text for block in message.content or [] if block.type in _SPOKEN]
    text = "\n\n".join(text for text in blocks if text and has_visible(text)) or message.text or ""
    return text.strip() if has_visible(text) else ""
