"""What is known of a speaker, as it is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Patch = Mapping[str, Any]
"""{speaker, key, name, value, when, at, turns}, and `was` where it changed something."""


@dataclass(frozen=True, slots=True)
class PersonaView:
    """A speaker at a moment: entries by key, each with date and evidence, and what changed lately."""

    speaker: str
    as_of: str
    since: str
    portrait: str
    keys: Mapping[str, Sequence[Patch]]
    changes: Sequence[Patch]
    notices: Sequence[str] = ()
