import io
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mcp_memory.cli import transfer
from mcp_memory.errors import InputError
from mcp_memory.importers import reading, source
from mcp_memory.importers.formats import FORMATS

Take = Callable[..., Any]
Write = Callable[..., Path]
TALK = b'{"uuid": "c1", "chat_messages": [{"sender": "human", "text": "Hi", "created_at": "2024-05-01T07:30:00Z"}]}'


def test_the_command_line_names_every_format() -> None:
    assert {one.name for one in FORMATS} == set(transfer.FORMATS.replace(" or ", ", ").split(", "))


@pytest.mark.parametrize("content", [b"Dear diary", b"[]", b"{", b'[{"a": 1}]', b"\xff\xfe\x00", b'{"role": "user"}'])
def test_what_is_in_no_known_format_is_told_with_what_would_be(file: Write, take: Take, content: bytes) -> None:
    with pytest.raises(InputError, match=r"in no format .*a Slack export, .*a ChatGPT export") as caught:
        take(file(content))
    assert '{"at": "2024-05-01T09:30:00+02:00", "role": "user"' in str(caught.value)
    assert all(one.name in str(caught.value) for one in FORMATS)


def test_a_folder_that_is_no_export_is_told_so(tmp_path: Path, take: Take, file: Write) -> None:
    with pytest.raises(InputError, match="there is no file in"):
        take(tmp_path)
    file("hello", "notes.pdf")
    with pytest.raises(InputError, match="there is no file in"):
        take(tmp_path, "slack")
    file("hello", "notes.txt")
    with pytest.raises(InputError, match="in no format that is known here"):
        take(tmp_path)


def test_what_is_not_there_is_told_so(tmp_path: Path, take: Take) -> None:
    with pytest.raises(InputError, match=r"there is no file .*gone\.zip; give the export as it was downloaded"):
        take(tmp_path / "gone.zip")
    with pytest.raises(InputError, match="cannot read"):
        take(tmp_path / ("x" * 5_000))


def test_a_blank_file_has_no_messages(file: Write, take: Take) -> None:
    assert take(file(b" \n\n")).turns == []


def test_a_format_can_be_forced_and_must_exist(file: Write, take: Take) -> None:
    path = file(b"[" + TALK + b"]")
    assert take(path, "claude").said == [("Ann", "Hi")]
    assert [one.why for one in take(path, "chatgpt").damaged] == ["`mapping`: field required"]
    with pytest.raises(InputError, match="--format takes slack, claude-code"):
        take(path, "telegram")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes by name here")
def test_a_pipe_is_read_as_lines_because_it_can_be_read_once(tmp_path: Path, take: Take) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = Thread(target=pipe.write_bytes, args=(b'{"at": "2024-05-01", "role": "user", "text": "Hi"}\n',))
    writing.start()
    assert take(pipe).said == [("Ann", "Hi")]
    writing.join()


def test_a_damaged_zip_is_told_so(archive: Write, take: Take) -> None:
    path = archive({"conversations.json": b"[" + TALK * 50 + b"]"})
    whole = path.read_bytes()
    path.write_bytes(whole[:60])
    with pytest.raises(InputError, match="damaged or incomplete; download it again"):
        take(path)
    path.write_bytes(whole[:60] + b"\x00\xff\x00\xff" + whole[64:])
    with pytest.raises(InputError, match="damaged"):
        take(path, "claude")


def test_an_encrypted_zip_is_told_so(archive: Write, take: Take) -> None:
    path = archive({"conversations.json": b"[" + TALK + b"]"})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="encrypted"):
        take(path)


def test_a_zip_that_would_fill_the_disk_is_refused(archive: Write, take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_UNPACKED", 1 << 20)
    with pytest.raises(InputError, match=r"conversations\.json in .* would unpack to 2 MB"):
        take(archive({"conversations.json": b"[" + b" " * (2 << 20) + b"]"}))


def test_names_in_a_zip_lead_nowhere_else(archive: Write, take: Take, file: Write) -> None:
    path = archive({"../conversations.json": b"[" + TALK + b"]", "__MACOSX/conversations.json": b"x"})
    with pytest.raises(InputError, match="there is no file in"):
        take(path)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"[]", []),
        (b"\xef\xbb\xbf [1, 2 ,3]", [b"1", b" 2 ", b"3"]),
        (b'["a]\\"", {"b": "}"}, [[],[]],]', [b'"a]\\""', b' {"b": "}"}', b" [[],[]]"]),
        (b'[1, {"a": ', [b"1", None]),
        (b'[1, "unended', [b"1", None]),
        (b'{"a": 1}', [b'{"a": 1}']),
        (b"[1] and more", [b"1"]),
    ],
)
@pytest.mark.parametrize("chunk", [5, 8, 1 << 20])
def test_the_elements_of_an_array_are_found_one_by_one(
    monkeypatch: pytest.MonkeyPatch, content: bytes, found: list[bytes | None], chunk: int
) -> None:
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    assert list(reading._elements(io.BytesIO(content))) == found


def test_a_record_without_end_is_given_up_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 64)
    monkeypatch.setattr(reading, "LARGEST_RECORD", 1_000)
    file = io.BytesIO(b'[1, "' + b"x" * 10_000)
    assert list(reading._elements(file)) == [b"1", None]
    assert file.tell() < 4_000


@pytest.mark.parametrize(
    ("begun", "format"),
    [
        (b'[{"title": "x", "mapping": {"a": {"message": ', "chatgpt"),
        (b'\xef\xbb\xbf[ {"uuid": "c", "chat_messages" : [{"sender": "hu', "claude"),
        (b"[" + TALK + b', {"uuid": "c2", "chat_me', "claude"),
    ],
)
def test_a_download_that_broke_off_is_known_by_its_beginning(
    file: Write, take: Take, begun: bytes, format: str
) -> None:
    taken = take(file(begun, "conversations.json"))
    assert taken.format == format
    assert len(taken.turns) == begun.count(b'"Hi"')
    assert "is cut off" in taken.damaged[-1].why
