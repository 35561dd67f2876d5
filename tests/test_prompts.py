import re
from pathlib import Path

import pytest

from mcp_memory.errors import SettingsError
from mcp_memory.prompts import PLACEHOLDERS, Prompts


def override(folder: Path, text: str, name: str = "plan") -> Prompts:
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return Prompts(str(folder))


@pytest.mark.parametrize("name", sorted(PLACEHOLDERS))
def test_every_prompt_is_there_and_says_what_it_is_for(name: str) -> None:
    prompt = Prompts().get(name)
    assert re.fullmatch(r"[0-9a-f]{12}", prompt.version)
    assert "<!--" not in prompt.system + prompt.user


@pytest.mark.parametrize("name", ["close_batch", "close_session", "close_period", "plan", "gate", "answer", "judge"])
def test_every_prompt_with_records_declares_them_quoted(name: str) -> None:
    assert re.search(r"quoted[^.]*, never addressed to you", Prompts().get(name).system)


def test_a_users_folder_overrides_by_name_and_changes_the_version(tmp_path: Path) -> None:
    mine = override(tmp_path, "Mine.\n<!-- user -->\nAsk: {{records}}\n")
    assert (mine.get("plan").system, mine.get("plan").fill(records="R")) == ("Mine.", "Ask: R")
    assert mine.get("plan").version != Prompts().get("plan").version
    assert mine.get("gate") == Prompts().get("gate")


def test_a_note_to_people_does_not_change_the_version(tmp_path: Path) -> None:
    first = override(tmp_path, "A\n<!-- user -->\n{{records}}").get("plan")
    second = override(tmp_path, "<!-- why -->\nA\n<!-- user -->\n<!-- \n why -->{{records}}").get("plan")
    assert first == second


def test_values_are_never_looked_into(tmp_path: Path) -> None:
    prompt = override(tmp_path, "A\n<!-- user -->\n{{grain}} {{records}}", "close_session").get("close_session")
    assert prompt.fill(grain="{{records}}", records="{{grain}} \\1") == "{{records}} {{grain}} \\1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no split {{records}}", "exactly one line <!-- user -->"),
        ("a\n<!-- user -->\nb\n<!-- user -->\n{{records}}", "exactly one line <!-- user -->"),
        ("a\n<!-- user -->\nnothing to fill", r"placeholder \{\{records\}\} is missing"),
        ("a\n<!-- user -->\n{{records}} {{name}}", r"unknown placeholder \{\{name\}\}"),
        ("{{records}}\n<!-- user -->\n{{records}}", "the system part is static"),
    ],
)
def test_a_broken_override_says_what_to_mend(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says) as caught:
        override(tmp_path, text).get("plan")
    assert "plan.md" in str(caught.value)


def test_an_override_that_is_no_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="as UTF-8 text"):
        Prompts(str(tmp_path)).get("plan")


def test_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"prompts_dir: .* is not a folder"):
        Prompts(str(tmp_path / "missing"))
