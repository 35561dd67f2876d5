"""What is written for people agrees with the code."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from mcp_memory import __version__
from mcp_memory.cli import COMMANDS
from mcp_memory.cli.install import CLIENTS
from mcp_memory.settings import Settings

ROOT = Path(__file__).parents[1]
MACHINE_DEPENDENT = {"data_dir"}


def fields(model: type[BaseModel], prefix: str = "") -> dict[str, tuple[Any, str]]:
    """Default and description of every key, sections as "section.key"."""
    found: dict[str, tuple[Any, str]] = {}
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found |= fields(field.annotation, f"{name}.")
        else:
            default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
            found[prefix + name] = (default, field.description or "")
    return found


def example() -> dict[str, tuple[Any, str]]:
    """Value and comment of every key in the example; keys that are commented out count."""
    found: dict[str, tuple[Any, str]] = {}
    section = comment = ""
    for line in (ROOT / "config.example.toml").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = f"{heading[1]}."
        elif pair := re.fullmatch(r"(?:# )?([a-z_]+) = (.+)", line):
            found[section + pair[1]] = (tomllib.loads(f"value = {pair[2]}")["value"], comment)
        comment = f"{comment} {line.removeprefix('# ')}" if line.startswith("# ") else ""
    return found


def test_the_example_lists_every_setting_and_no_other() -> None:
    assert example().keys() == fields(Settings).keys()


def test_the_example_shows_every_default_with_its_reason() -> None:
    for name, (default, description) in fields(Settings).items():
        value, comment = example()[name]
        assert name in MACHINE_DEPENDENT or value == default, name
        assert description, name
        assert description in comment, name


def test_the_example_can_be_loaded_as_it_is() -> None:
    values = tomllib.loads((ROOT / "config.example.toml").read_text(encoding="utf-8"))
    assert not MACHINE_DEPENDENT & values.keys()
    assert Settings(**values).model_dump(exclude={"data_dir"}) == Settings().model_dump(exclude={"data_dir"})


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_names_every_command(readme: str, command: str) -> None:
    assert re.search(rf"`mcp-memory (?:[^`]* )?{command}\b", readme)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_readme_names_every_client(readme: str, client: str) -> None:
    assert f"`{client}`" in readme


def test_links_in_the_readme_lead_somewhere(readme: str) -> None:
    headings = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in readme.splitlines()}
    for target in re.findall(r"\]\(([^)]+)\)", readme):
        if target.startswith("#"):
            assert target[1:] in headings, target
        elif "://" not in target:
            assert (ROOT / target).exists(), target


def test_the_changelog_tells_of_this_version() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_readmes_results_table_can_be_filled(readme: str) -> None:
    assert 0 < readme.index("<!-- results: begin -->") < readme.index("<!-- results: end -->")
