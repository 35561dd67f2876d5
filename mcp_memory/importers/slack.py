"""A Slack workspace's export: a folder for each channel with a file for each day, and `users.json`.

A day's answers in a thread are an exchange with what they answer.  The channel is the session of both: a message
that is answered in a thread after it was imported must stay the message that it was.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mcp_memory.importers.grouping import MOST_TURNS
from mcp_memory.importers.messages import Damaged, Entry, Found
from mcp_memory.importers.reading import Shape, first_objects, moment, records
from mcp_memory.importers.source import Source
from mcp_memory.text.clean import has_visible

_DAY: Final = re.compile(r"(?:.*/)?([^/]+)/\d{4}-\d\d-\d\d\.json")
_LISTS: Final = re.compile(r"(?:.*/)?(?:users|channels|groups)\.json")
_SPOKEN: Final = (None, "thread_broadcast", "me_message", "file_share")  # others tell of joins, topics, bots
_MARKED: Final = re.compile(r"<([^<>\n]+)>")
_ESCAPES: Final = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ESCAPED: Final = re.compile("&(?:lt|gt|amp);")
_MOMENT: Final = re.compile(r"\d{1,12}(?:\.\d{1,9})?")


class _Profile(Shape):
    real_name: str | None = None
    display_name: str | None = None


class _Named(Shape):
    """A user or a channel."""

    id: str
    name: str | None = None
    real_name: str | None = None
    profile: _Profile | None = None


class _Message(Shape):
    type: str
    ts: str
    subtype: str | None = None
    user: str | None = None
    text: str | None = None
    thread_ts: str | None = None
    bot_id: str | None = None
    user_profile: _Profile | None = None


def looks_so(source: Source) -> bool:
    """Whether there is a channel's day with a message in it."""
    days = (name for name in source.names if _DAY.fullmatch(name))
    return any("ts" in record for name in days for record in first_objects(source, name))


def read(source: Source) -> Iterator[Entry]:
    """What people wrote, by channel and day."""
    names: dict[str, str] = {}
    yield from _learn(source, names)
    for name in sorted(source.names):
        if day := _DAY.fullmatch(name):
            yield from _day(source, name, day[1], names)


def readable(text: str, names: Mapping[str, str]) -> str:
    """A message's text as people see it: mentions by name, links with their labels, escapes undone."""
    shown = _MARKED.sub(lambda match: _mark(match[1], names), text)
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], shown)


def _mark(mark: str, names: Mapping[str, str]) -> str:
    target, _, label = mark.partition("|")
    sign, name = target[:1], target[1:]
    if sign in "@#":
        return f"{sign}{label or names.get(name, name)}"
    if sign == "!":
        return label or f"@{name}"
    bare = target.removeprefix("mailto:").removeprefix("tel:")
    return bare if not label or label in bare else f"{label} ({bare})"


def _learn(source: Source, names: dict[str, str]) -> Iterator[Damaged]:
    """Fills in what users and channels are called, by id."""
    for name in source.names:
        for found in records(source, name, _Named) if _LISTS.fullmatch(name) else ():
            if isinstance(found, Damaged):
                yield found
            else:
                one = found[1]
                names[one.id] = _called(one.profile) or one.real_name or one.name or one.id


def _called(profile: _Profile | None) -> str | None:
    return (profile.real_name or profile.display_name) if profile else None


def _day(source: Source, name: str, channel: str, names: Mapping[str, str]) -> Iterator[Entry]:
    threads: Counter[str] = Counter()
    for found in records(source, name, _Message):
        if isinstance(found, Damaged):
            yield found
            continue
        where, message = found
        if not _spoken(message):
            continue
        thread = message.thread_ts or ""
        label = f"{name}/{thread}/{threads[thread] // MOST_TURNS}" if thread else ""
        threads[thread] += 1
        yield Found(where, _fields(message, channel, names) | {"exchange": label})


def _spoken(message: _Message) -> bool:
    """Whether a person says something; a bot does not, nor does a picture without words."""
    person = message.type == "message" and message.subtype in _SPOKEN and message.user and not message.bot_id
    return bool(person) and has_visible(message.text or "")


def _fields(message: _Message, channel: str, names: Mapping[str, str]) -> dict[str, Any]:
    user = message.user or ""
    return {
        "at": moment(float(message.ts)) if _MOMENT.fullmatch(message.ts) else "",
        "name": names.get(user) or _called(message.user_profile) or user,
        "text": readable(message.text or "", names),
        "session": f"slack:{channel}",
        "id": f"slack:{channel}/{message.ts}",
    }
