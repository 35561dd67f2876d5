"""ChatGPT's data export: `conversations.json` (or numbered parts of it), a list of trees of messages.

A message that was edited, or an answer that was asked for again, is another branch; the one that leads to
`current_node` is the conversation.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from mcp_memory.importers.messages import Damaged, Entry, Found
from mcp_memory.importers.reading import Shape, any_has, conversations, moment, shaped
from mcp_memory.importers.source import Source
from mcp_memory.text.clean import has_visible

_SPOKEN: Final = ("text", "multimodal_text", "code")  # others are thoughts, tools' output, instructions
_CITATION: Final = re.compile("\ue200[^\ue201]{1,500}\ue201|【\\d{1,4}(?::\\d{1,4})?†[^】]{0,200}】")


class _Author(Shape):
    role: str


class _Content(Shape):
    content_type: str = "text"
    parts: list[str | dict[str, Any] | None] | None = None
    text: str | None = None


class _Metadata(Shape):
    is_visually_hidden_from_conversation: bool | None = None
    is_user_system_message: bool | None = None


class _Message(Shape):
    id: str | None = None
    author: _Author
    content: _Content
    create_time: float | None = None
    recipient: str | None = None
    weight: float | None = None
    metadata: _Metadata | None = None


class _Node(Shape):
    message: Any = None
    parent: str | None = None


class _Conversation(Shape):
    mapping: dict[str, Any]
    current_node: str | None = None
    conversation_id: str | None = None
    id: str | None = None
    create_time: float | None = None


def looks_so(source: Source) -> bool:
    """Whether one of the first conversations is a tree of messages."""
    return any_has(source, "mapping")


def read(source: Source) -> Iterator[Entry]:
    """The messages of all conversations."""
    return conversations(source, _Conversation, _messages)


def _messages(where: str, talk: _Conversation) -> Iterator[Entry]:
    session = f"chatgpt:{talk.conversation_id or talk.id or where}"
    at = talk.create_time
    for number, (name, value) in enumerate(_branch(talk), 1):
        message = shaped(_Message, value, f"{where}, message {number}")
        if isinstance(message, Damaged):
            yield message
        elif text := _spoken(message):
            at = message.create_time if message.create_time is not None else at  # old exports leave some out
            ref = f"chatgpt:{message.id or name}"
            role, said = message.author.role, {"at": moment(at), "text": text, "session": session, "id": ref}
            yield Found(f"{where}, message {number}", {"role": role, **said})


def _branch(talk: _Conversation) -> list[tuple[str, Any]]:
    """What stands in the nodes on the way to the current one; the way ends early where a node is damaged."""
    name = talk.current_node if talk.current_node in talk.mapping else next(reversed(talk.mapping), None)
    found: dict[str, Any] = {}
    while name is not None and name not in found and name in talk.mapping:
        node = shaped(_Node, talk.mapping[name], name)
        if isinstance(node, Damaged):
            found[name] = node  # no message either: it will be counted
            break
        found[name] = node.message
        name = node.parent
    return [(name, value) for name, value in reversed(found.items()) if value is not None]


def _spoken(message: _Message) -> str:
    """What is said to the other side; "" for what is hidden, thought, or said to a tool."""
    about = message.metadata or _Metadata()
    hidden = about.is_visually_hidden_from_conversation or about.is_user_system_message or message.weight == 0
    private = message.recipient not in (None, "all") or message.content.content_type not in _SPOKEN
    if hidden or private or message.author.role not in ("user", "assistant"):
        return ""
    text = _CITATION.sub("", "\n\n".join(_texts(message.content))).strip()
    return text if has_visible(text) else ""


def _texts(content: _Content) -> list[str]:
    """The written parts, and what was spoken; pictures and sounds have no words."""
    texts = [part.get("text") if isinstance(part, dict) else part for part in content.parts or [content.text]]
    return [text for text in texts if isinstance(text, str) and has_visible(text)]
