import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

Run = Callable[..., Any]
CLAUDE_CODE = [
    {"type": role, "uuid": role, "sessionId": "s", "timestamp": "2024-03-04T09:00:00Z", "message": {"content": text}}
    for role, text in (("user", "I planted a fig tree on the balcony."), ("assistant", "Figs like it warm."))
]
CHATGPT_NODES = {
    role: {
        "parent": parent,
        "message": {
            "id": role,
            "author": {"role": role},
            "create_time": 1_709_542_800.0,
            "content": {"content_type": "text", "parts": [text]},
        },
    }
    for role, parent, text in (
        ("user", None, "I planted a fig tree on the balcony."),
        ("assistant", "user", "Figs like it warm."),
    )
}
CLAUDE = {
    "uuid": "c1",
    "chat_messages": [
        {"uuid": sender, "sender": sender, "text": text, "created_at": "2024-03-04T09:00:00Z"}
        for sender, text in (("human", "I planted a fig tree on the balcony."), ("assistant", "Figs like it warm."))
    ],
}
SLACK = [
    {"type": "message", "ts": f"170954280{number}.0", "user": user, "text": text}
    for number, (user, text) in enumerate(
        [("U1", "I planted a fig tree on the balcony."), ("U2", "Figs like it warm.")]
    )
]
WHATSAPP = "04/03/24, 09:00 - Ann: I planted a fig tree on the balcony.\n13/03/24, 09:01 - Mika: Figs like it warm.\n"
EXPORTS = {
    "chatgpt": {
        "conversations.json": json.dumps([{"id": "c1", "mapping": CHATGPT_NODES, "current_node": "assistant"}])
    },
    "claude": {"conversations.json": json.dumps([CLAUDE])},
    "claude-code": {"p/s.jsonl": "\n".join(map(json.dumps, CLAUDE_CODE))},
    "slack": {"users.json": "[]", "general/2024-03-04.json": json.dumps(SLACK)},
    "whatsapp": {"_chat.txt": WHATSAPP},
}
FIG = {
    "chatgpt": "chatgpt:user",
    "claude": "claude:human",
    "claude-code": "claude-code:user",
    "slack": "slack:general/1709542800.0",
    "whatsapp": "whatsapp:talk/2024-03-04T09:00:00",
}


def packed(path: Path, files: dict[str, str]) -> Path:
    with ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("name", EXPORTS)
def test_what_is_imported_from_an_export_is_found_and_imported_once(run: Run, tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / "talk.zip", EXPORTS[name])
    first, second = run("import", str(path)), run("import", str(path))
    assert "2 messages read: 2 stored, 0 were there already" in first.out
    assert "2 messages read: 0 stored, 2 were there already" in second.out
    assert "talk.zip is read as" in first.out
    assert [FIG[name]] in [hit["sources"] for hit in run("recall", "fig tree balcony", "--json").json["hits"]]


def test_what_could_not_be_used_is_counted_and_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([CLAUDE, *[{"chat_messages": None}] * 7]))
    done = run("import", str(path))
    assert done.code == 0
    assert "2 messages read: 2 stored" in done.out
    assert "7 entries could not be used and were left out:\n  talk.json, entry 2: `chat_messages`" in done.out
    assert "entry 6" in done.out
    assert "entry 7" not in done.out


def test_an_import_of_nothing_but_damage_fails(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([CLAUDE]))
    assert run("import", str(path), "--format", "chatgpt").code == 1


@pytest.mark.parametrize("content", [None, "Dear diary"])
def test_what_cannot_be_imported_is_told_in_one_sentence_and_leaves_nothing(
    run: Run, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "talk"
    if content:
        path.write_text(content)
    done = run("import", str(path))
    assert (done.code, done.out) == (1, "")
    assert "mend" not in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "data").exists()


def test_secrets_in_an_export_are_taken_out(run: Run, tmp_path: Path) -> None:
    key = "sk-ant-" + "api03-Zm9vYmFyYmF6cXV4" * 3
    path = tmp_path / "chat.txt"
    path.write_text(f"04/03/24, 09:00 - Ann: my key is {key}\n")
    assert run("import", str(path)).code == 0
    assert key not in run("export").out


def test_the_owner_is_known_by_name(run: Run, tmp_path: Path) -> None:
    path = packed(tmp_path / "talk.zip", EXPORTS["whatsapp"])
    assert run("--set", "owner=Ann", "import", str(path)).code == 0
    lines = run("--set", "owner=Ann", "export").out.splitlines()
    assert [json.loads(line)["role"] for line in lines] == ["user", "other"]


@pytest.mark.parametrize("name", EXPORTS)
def test_where_nothing_of_a_format_is_found_that_is_no_success(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("flour\n")
    done = run("import", str(tmp_path / "folder"), "--format", name)
    assert done.code == 1
    assert "holds no message of a person or an assistant; --format takes" in done.err


def test_a_chat_of_whatsapps_own_lines_alone_is_no_success(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("04/03/24, 09:00 - Ann added you\n")
    done = run("import", str(path))
    assert done.code == 1
    assert "read as a WhatsApp chat, holds no message" in done.err


def test_what_an_empty_memory_exports_is_taken_in_as_nothing(run: Run, tmp_path: Path) -> None:
    assert run("export", str(tmp_path / "out.jsonl")).code == 0
    assert run("import", str(tmp_path / "out.jsonl"), folder="other").code == 0


def test_a_guess_at_the_dates_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("04/03/24, 09:00 - Ann: Hi\n")
    assert "4/3/24 is 2024-03-04" in run("import", str(path)).out
