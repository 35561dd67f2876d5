"""The whole memory as one page for people: HTML that needs no network, no server and no other file."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib import resources
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from mcp_memory.model.turn import Turn, in_order
from mcp_memory.model.unit import TREE, Unit
from mcp_memory.recall.inspect import counts
from mcp_memory.text.clean import clean
from mcp_memory.write.persona import merge, patches_of, speakers

if TYPE_CHECKING:
    from mcp_memory.store.corpus import Corpus

_BLOCK: Final = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)
# Inside a script element only these could end it or be read as anything but JSON.
_UNSAFE: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}

GENERATOR: Final = '<meta name="generator" content="mcp-memory">'  # by which a page of ours is known

Row = dict[str, Any]


def build_report(corpus: "Corpus", zone: ZoneInfo, notices: Sequence[str] = ()) -> str:
    """One self-contained page: tree, scenes, items, cues, topics, personas and every turn, with a search box.

    The data is JSON inside the page and enters it as text only; a content security policy names the hashes of
    the page's own style and script and forbids everything else.
    """
    with corpus.lock:
        turns, units = in_order(corpus.turns.values()), list(corpus.units.values())
        superseded, summary = dict(corpus.superseded), counts(corpus)
    data = {
        "owner": corpus.owner,
        "zone": str(zone),
        "notices": list(notices),
        "counts": summary,
        "turns": [_turn(turn, zone) for turn in turns],
        "nodes": [_node(unit, zone) for unit in _in_time(units) if unit.kind in TREE and not _is_raw(unit)],
        "scenes": [_scene(unit, zone) for unit in _in_time(units) if unit.kind == "scene"],
        "items": [_item(unit, zone) for unit in _in_time(units) if unit.kind == "item" and unit.view != "quote"],
        "cues": [_cue(unit) for unit in _in_time(units) if unit.kind == "cue"],
        "topics": [_topic(unit, zone) for unit in _in_time(units) if unit.kind == "topic"],
        "people": _people(units),
        "superseded": _superseded(superseded, corpus.units),
    }
    return _page(data)


def _page(data: Mapping[str, Any]) -> str:
    template = resources.files("mcp_memory").joinpath("data", "report.html").read_text(encoding="utf-8")
    allowed = {kind: _hash(content) for kind, content in _BLOCK.findall(template)}
    sources = f"style-src {allowed['style']}; script-src {allowed['script']}"
    policy = f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"
    shown = clean(json.dumps(data, ensure_ascii=False, separators=(",", ":"))).translate(_UNSAFE)
    # the data last: what it holds is never taken for a placeholder
    return template.replace("__POLICY__", policy, 1).replace("__DATA__", shown, 1)


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _in_time(units: Iterable[Unit]) -> list[Unit]:
    return sorted(units, key=lambda one: (one.start, one.id))


def _is_raw(unit: Unit) -> bool:
    """Whether an L1 memory only repeats its turns."""
    return unit.kind == "segment" and unit.source == "rules"


def _local(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%dT%H:%M")


def _turn(turn: Turn, zone: ZoneInfo) -> Row:
    return {
        "id": turn.id,
        "at": _local(turn.at, zone),
        "who": turn.speaker,
        "role": turn.role,
        "text": turn.text,
        "exchange": turn.exchange,
    }


def _node(unit: Unit, zone: ZoneInfo) -> Row:
    return _common(unit, zone) | {
        "kind": unit.kind,
        "window": unit.window,
        "parent": unit.parent,
        "open": unit.status == "provisional",
        "turns": list(unit.turns) if unit.kind in ("segment", "session") else [],
    }


def _common(unit: Unit, zone: ZoneInfo) -> Row:
    return {
        "id": unit.id,
        "from": _local(unit.start, zone),
        "to": _local(unit.end, zone),
        "title": unit.title,
        "text": unit.text,
        "by": unit.source,
    }


def _scene(unit: Unit, zone: ZoneInfo) -> Row:
    summary = str(unit.detail.get("summary", ""))
    return _common(unit, zone) | {
        "turns": list(unit.turns),
        "summary": summary,
        "text": unit.text if unit.text != summary else "",
        "topics": list(unit.detail.get("topics", ())),
    }


def _item(unit: Unit, zone: ZoneInfo) -> Row:
    return _common(unit, zone) | {
        "view": unit.view,
        "who": unit.speaker,
        "when": unit.detail.get("when", ""),
        "why": unit.detail.get("why", ""),
        "turns": list(unit.turns),
        "parent": unit.parent,
    }


def _cue(unit: Unit) -> Row:
    return {
        "id": unit.id,
        "host": unit.parent,
        "family": unit.family,
        "view": unit.view,
        "text": unit.text,
        "by": unit.source,
    }


def _topic(unit: Unit, zone: ZoneInfo) -> Row:
    return _common(unit, zone) | {
        "keywords": list(unit.detail.get("keywords", ())),
        "scenes": unit.detail.get("scenes", 0),
    }


def _people(units: Sequence[Unit]) -> list[Row]:
    """Everybody of whom something is known, with the newest portrait that a scribe wrote."""
    personas = _in_time(unit for unit in units if unit.kind == "persona")
    found: list[Row] = []
    for name in speakers(personas):
        written = [one.text for one in personas if one.speaker == name and one.source != "rules"]
        entries = merge(patches_of(personas, name), name).entries
        keys = {key: [dict(entry) for entry in reversed(group)] for key, group in entries.items()}
        found.append({"name": name, "portrait": written[-1] if written else "", "keys": keys})
    return found


def _superseded(pairs: Mapping[str, str], units: Mapping[str, Unit]) -> dict[str, str]:
    """What is no longer true and what replaces it; a quote is shown as its turn."""
    return {_shown_as(units[old]): _shown_as(units[new]) for old, new in pairs.items() if old in units and new in units}


def _shown_as(unit: Unit) -> str:
    return unit.turns[0] if unit.view == "quote" else unit.id
