"""Texts for language models: one Markdown file per call, loaded by name, overridable by the user.

A file is a static system part (cacheable), a line `<!-- user -->`, and the user part with `{{placeholders}}`.
HTML comments are notes to people and are not sent.  Whatever was said or remembered reaches a model only
inside a block of records (`records`), which the system parts declare to be quotations.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mcp_memory.errors import SettingsError
from mcp_memory.text.clean import plain

PLACEHOLDERS: Final[Mapping[str, frozenset[str]]] = {
    "close_batch": frozenset({"records"}),
    "close_session": frozenset({"grain", "records"}),
    "close_period": frozenset({"grain", "records"}),
    "plan": frozenset({"records"}),
    "gate": frozenset({"records"}),
    "answer": frozenset({"records"}),
    "judge": frozenset({"records"}),
    "probe": frozenset(),
    "reply_schema": frozenset({"schema"}),
    "repair": frozenset({"errors"}),
}
_PACKAGE: Final = Path(__file__).parent
_PLACES: Final = (_PACKAGE / "data" / "prompts", _PACKAGE.parent / "prompts")  # a wheel, a checkout
_SPLIT: Final = re.compile(r"^<!-- user -->[ \t]*$", re.MULTILINE)
_COMMENT: Final = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")


def records(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON lines between two marks that nobody could have written into a row.

    The marks carry a digest of the rows themselves, so no row can hold its own block's end; the same rows
    always give the same block (cacheable, testable).
    """
    body = "\n".join(json.dumps(_clean(row), ensure_ascii=False) for row in rows)
    mark = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    return f"<records-{mark}>\n{body}\n</records-{mark}>"


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, Mapping):
        return {plain(str(key)): _clean(part) for key, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt; `version` is a short digest of its file, kept with every reply it brought."""

    name: str
    system: str
    user: str
    version: str

    def fill(self, **values: str) -> str:
        """The user part with its placeholders replaced, in one pass: values are never looked into."""
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self.user)


class Prompts:
    """The prompts in force: the user's folder first, then the packaged ones."""

    def __init__(self, override: str = "") -> None:
        """Raises SettingsError when `override` is not a folder."""
        if override and not Path(override).expanduser().is_dir():
            raise SettingsError(f"prompts_dir: {override} is not a folder")
        self._places = (Path(override).expanduser(), *_PLACES) if override else _PLACES
        self._loaded: dict[str, Prompt] = {}

    def get(self, name: str) -> Prompt:
        """The prompt of that name (one of `PLACEHOLDERS`).

        Raises SettingsError when its file is missing, unreadable, or lacks or invents a placeholder.
        """
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Prompt:
        path = next((place / f"{name}.md" for place in self._places if (place / f"{name}.md").is_file()), None)
        if path is None:
            raise SettingsError(f"the prompt {name}.md is missing from this installation; reinstall mcp-memory")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise SettingsError(f"cannot read {path} as UTF-8 text") from None
        return _parse(name, text, path)


def _parse(name: str, text: str, path: Path) -> Prompt:
    parts = _SPLIT.split(text)
    if len(parts) != 2:
        raise SettingsError(f"{path}: needs exactly one line <!-- user --> between the system and the user part")
    system, user = (_COMMENT.sub("", part).strip() for part in parts)
    _check(frozenset(_PLACEHOLDER.findall(user)), PLACEHOLDERS[name], path)
    if _PLACEHOLDER.search(system):
        raise SettingsError(f"{path}: the system part is static; placeholders belong below <!-- user -->")
    version = hashlib.blake2b(f"{system}\0{user}".encode(), digest_size=6).hexdigest()
    return Prompt(name, system, user, version)


def _check(found: frozenset[str], wanted: frozenset[str], path: Path) -> None:
    for placeholder in sorted(found - wanted):
        raise SettingsError(f"{path}: unknown placeholder {{{{{placeholder}}}}}")
    for placeholder in sorted(wanted - found):
        raise SettingsError(f"{path}: the placeholder {{{{{placeholder}}}}} is missing")


def schema_text(schema: Mapping[str, Any]) -> str:
    """A reply's schema as it is shown to a model that is not held to it otherwise."""
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def sections(name: str) -> Mapping[str, str]:
    """The parts of a packaged file under their `# headings`, each as one paragraph per blank-line block.

    Raises SettingsError when the file is missing from the installation.
    """
    for place in _PLACES:
        path = place / f"{name}.md"
        if path.is_file():
            parts = re.split(r"^# (\w+)\n", _COMMENT.sub("", path.read_text(encoding="utf-8")), flags=re.MULTILINE)
            return {head: re.sub(r"(?<!\n)\n(?!\n)", " ", body.strip()) for head, body in _pairs(parts[1:])}
    raise SettingsError(f"prompts/{name}.md is missing: reinstall mcp-memory")


def _pairs(parts: list[str]) -> Iterable[tuple[str, str]]:
    return zip(parts[::2], parts[1::2], strict=True)
