"""A WhatsApp chat's export: a text file, alone or in a .zip with its pictures, as iPhones and Android write it.

    [31/12/24, 21:05:33] Ann: Happy new year!          12/31/24, 9:05 PM - Ann: Happy new year!

The phone's language decides the order of day and month, which the file as a whole gives away.  Moments are
local.  What WhatsApp itself writes has no name before it, or a mark (U+200E) that nobody types.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from mcp_memory.importers.daymonth import Numbers, day_order, day_text, undecided
from mcp_memory.importers.messages import Damaged, Entry, Found
from mcp_memory.importers.reading import first_lines, lines
from mcp_memory.importers.source import Source
from mcp_memory.importers.whatsapp_words import is_speaker, words_of
from mcp_memory.text.clean import has_visible
from mcp_memory.write.remember import MOST_TEXT

_TEXTS: Final = r".*\.txt"
_HEADER: Final = re.compile(
    r"(?P<open>\[)?(?P<a>\d{1,4})(?P<between>[./-])\s?(?P<b>\d{1,2})(?P=between)\s?(?P<c>\d{1,4})\.?[,،]?\s+"
    r"(?:(?P<before>[^\W\d]+)\s?)?(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    r"(?:\s?(?P<after>[^\d\]:–-]{1,8}?))?(?(open)\]|\s[–-])\s(?P<rest>.*)",
    re.DOTALL,
)
_AM: Final = frozenset({"am", "午前", "上午", "오전", "ص", "πμ"})
_PM: Final = frozenset({"pm", "午後", "下午", "오후", "م", "μμ"})
_MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_NAME: Final = re.compile(r"[^:\n\"“”„«»「」『』]{1,100}")  # a system line may quote what has a colon
_ISOLATES: Final = re.compile("[\u2066-\u2069]")
_TITLE: Final = re.compile(r"(?:WhatsApp[ _-]+Chat(?:[ _]+with|[ _]*-)?[ _]+)?(.*?)(?:[ _]?\(\d+\))?", re.IGNORECASE)
_LONGEST_TITLE: Final = 100


@dataclass(frozen=True, slots=True)
class _Header:
    """The beginning of a message: three numbers of its day in the file's order, its time, and the rest."""

    numbers: Numbers
    time: str
    rest: str
    slashed: bool
    american: bool


@dataclass(slots=True)
class _Survey:
    """What only the whole chat tells: its days as they are written, and how often each name stands before a colon."""

    days: list[Numbers] = field(default_factory=list)
    speakers: Counter[str] = field(default_factory=Counter)
    slashed: bool = False
    american: bool = False


def looks_so(source: Source) -> bool:
    """Whether a text begins as chats do."""
    return any(_is_chat(source, name) for name in source.named(_TEXTS))


def read(source: Source) -> Iterator[Entry]:
    """The messages of every chat."""
    for name in source.named(_TEXTS):
        if source.alone or _is_chat(source, name):
            yield from _chat(source, name)


def _is_chat(source: Source, name: str) -> bool:
    return any(_header(line.decode("utf-8", "replace")) for line in first_lines(source, name))


def _chat(source: Source, name: str) -> Iterator[Entry]:
    title, survey = _title(source, name), _survey(source, name)
    order = _order(source, name, survey)
    last, repeated = "", 0
    for found in _messages(source, name):
        if isinstance(found, Damaged):
            yield found
            continue
        where, header, text = found
        if not (day := day_text(header.numbers, order)):
            yield Damaged(where, "has no possible day")
            continue
        at = f"{day}T{header.time}"
        last, repeated = at, repeated + 1 if at == last else 1
        speaker, said = _parts(text)
        if speaker and is_speaker(speaker, survey.speakers) and has_visible(said := words_of(said)):
            ref = f"whatsapp:{title}/{at}" + (f"/{repeated}" if repeated > 1 else "")
            fields = {"at": at, "name": speaker, "text": said, "session": f"whatsapp:{title}", "id": ref}
            yield Found(where, fields)


def _title(source: Source, name: str) -> str:
    """What the chat is called: the name of its file, or of the .zip or folder where that is `_chat.txt`."""
    stem, path = PurePosixPath(name).stem, source.path
    if stem == "_chat":
        stem = path.parent.name if source.alone else path.stem if path.is_file() else path.name
    found = _TITLE.fullmatch(stem)
    return (found[1] if found else "")[:_LONGEST_TITLE] or "chat"


def _survey(source: Source, name: str) -> _Survey:
    seen = _Survey()
    for _, line in _lines(source, name):
        if header := _header(line):
            if not seen.days or seen.days[-1] != header.numbers:
                seen.days.append(header.numbers)
                seen.slashed = seen.slashed or header.slashed
                seen.american = seen.american or header.american
            seen.speakers[_parts(header.rest)[0]] += 1
    return seen


def _order(source: Source, name: str, seen: _Survey) -> str:
    """The order of the chat's dates; a remark where it is a guess."""
    order = day_order(seen.days, "mdy" if seen.american else "dmy")
    if seen.slashed and (doubtful := undecided(seen.days)):
        first = "month" if order == "mdy" else "day"
        source.remarks.append(
            f"{name}: every date could begin with the day or with the month; the {first} was taken to be first, so that"
            f" {'/'.join(map(str, doubtful))} is {day_text(doubtful, order)}.  A longer export of the chat, with a day"
            " after the 12th, settles it."
        )
    return order


def _messages(source: Source, name: str) -> Iterator[tuple[str, _Header, str] | Damaged]:
    """Each message with the place of its first line and all of its text."""
    begun: tuple[str, _Header] | None = None
    text: list[str] = []
    for where, line in _lines(source, name):
        header = _header(line)
        if header and begun:
            yield *begun, "\n".join(text)
        if header:
            begun, text, size = (where, header), [header.rest], 0
        elif begun and size <= MOST_TEXT:  # beyond it nothing of the message can be stored
            text.append(line)
            size += len(line)
        elif line.strip() and not text:
            text.append(line)  # and no complaint about the lines after it
            yield Damaged(where, "stands before the first message")
    if begun:
        yield *begun, "\n".join(text)


def _lines(source: Source, name: str) -> Iterator[tuple[str, str]]:
    with source.reading(name) as file:
        for number, line in lines(file):
            yield f"{name}, line {number}", (line or b"").decode("utf-8", "replace").rstrip("\r\n")


def _header(line: str) -> _Header | None:
    begin = line.lstrip(_MARKS)
    found = _HEADER.match(begin[:40].replace("\u200f", "") + begin[40:])
    if not found:
        return None
    half = "".join(char for char in (found["before"] or found["after"] or "").casefold() if char.isalpha())
    hour = int(found["hour"])
    if half in _AM or half in _PM:
        hour = hour % 12 + 12 * (half in _PM)
    time = f"{hour:02}:{int(found['minute']):02}:{int(found['second'] or 0):02}"
    slashed = found["between"] == "/"
    american = slashed and (found["after"] or "").strip() in ("AM", "PM")
    return _Header((int(found["a"]), int(found["b"]), int(found["c"])), time, found["rest"], slashed, american)


def _parts(text: str) -> tuple[str, str]:
    """What stands before the colon as a name would, and what is said after it; twice "" for what is no message."""
    name, colon, said = text.partition(":")
    name = name.strip(f"{_MARKS} \u202f\u00a0~")
    if not colon or not _NAME.fullmatch(name) or (said and not said[0].isspace()):
        return "", ""
    return name, _ISOLATES.sub("", said[1:])
