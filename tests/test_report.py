"""The report page: what it holds, that nothing in it can act or call out, and that a browser shows it."""

import html
import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_memory.cli import main
from mcp_memory.engine import Memory
from mcp_memory.model.turn import Note
from mcp_memory.ports import FixedClock
from mcp_memory.report import build_report
from mcp_memory.write.remember import Said

HOSTILE = "<script>document.title='gone'</script> </script> <img src=x onerror=alert(1)> __DATA__ \u2028 --> ]]> &lt;"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=2000",
)
browser = pytest.mark.browser
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium found: install one to see the page rendered")

Page = Callable[..., str]


@pytest.fixture
def memory(open_memory: Callable[..., Memory], clock: FixedClock) -> Memory:
    """Two days of talk, with a fact that a later one replaces, and markup in what was said."""
    memory = open_memory()
    memory.remember(Said("I live in Paris, near the canal.", "Lovely!", notes=[Note("Ann lives in Paris")]))
    clock.advance(timedelta(minutes=1))
    memory.remember(Said(HOSTILE, "I will not run that.", "Markup"))
    clock.advance(timedelta(days=40))
    moved = Note("Ann lives in Lyon", cues=("looking for a plumber",), replaces="Ann lives in Paris")
    memory.remember(Said("I moved to Lyon last week! Figs grow on my balcony.", "How is it?", notes=[moved]))
    clock.advance(timedelta(days=40))
    memory.drain(seconds=60)
    return memory


def data_of(page: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


@pytest.fixture
def report(memory: Memory) -> str:
    return build_report(memory.corpus, memory.zone, ["Mind the gap."])


def test_the_page_holds_every_turn_and_record(memory: Memory, report: str) -> None:
    data = data_of(report)
    assert [turn["text"] for turn in data["turns"]][2] == HOSTILE
    assert {turn["id"] for turn in data["turns"]} == set(memory.corpus.turns)
    assert {node["kind"] for node in data["nodes"]} == {"session", "day", "week", "profile"}
    assert len(data["scenes"]) == 2
    assert data["notices"] == ["Mind the gap."]
    assert data["cues"][0] | {"id": "", "host": ""} == {
        "id": "",
        "host": "",
        "family": "horizon",
        "view": "utterance",
        "text": "looking for a plumber",
        "by": "caller",
    }


def test_times_are_the_owners(report: str) -> None:
    assert data_of(report)["turns"][0]["at"] == "2026-03-02T10:00"


def test_a_superseded_fact_names_the_newer_one(report: str) -> None:
    data = data_of(report)
    facts = {item["text"]: item["id"] for item in data["items"]}
    assert data["superseded"][facts["Ann lives in Paris"]] == facts["Ann lives in Lyon"]


def test_nothing_that_was_said_can_leave_its_place(report: str) -> None:
    assert report.count("</script>") == 2
    assert "<img" not in report
    assert "\u2028" not in report
    assert "__POLICY__" not in report


def test_the_page_asks_nobody_for_anything(report: str) -> None:
    assert not re.search(r"(?i)https?:|url\(|@import|<link|<iframe|<\w+ [^>]*src=|fetch\(|XMLHttp|WebSocket", report)
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', report)[0])
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_an_empty_memory_has_a_page_too(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.corpus.refresh()
    assert data_of(build_report(memory.corpus, memory.zone))["turns"] == []


# ---------------------------------------------------------------------- the command


def run(folder: Path, *arguments: str) -> int:
    return main(["--data-dir", str(folder), "--set", "embed.provider=none", "--set", "time_zone=UTC", *arguments])


def test_the_command_writes_a_private_file_and_writes_it_again(tmp_path: Path, capsys: Any) -> None:
    page = tmp_path / "page.html"
    run(tmp_path / "data", "remember", "The key hangs behind the clock.")
    for _ in range(2):
        assert run(tmp_path / "data", "inspect", "--html", str(page)) == 0
    assert stat.S_IMODE(page.stat().st_mode) == 0o600 or os.name == "nt"
    assert data_of(page.read_text(encoding="utf-8"))["turns"][0]["text"] == "The key hangs behind the clock."


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path, capsys: Any) -> None:
    page = tmp_path / "thesis.html"
    page.write_bytes(b"\xff my thesis")
    assert run(tmp_path / "data", "inspect", "--html", str(page)) == 1
    assert page.read_bytes() == b"\xff my thesis"
    assert "name another file" in capsys.readouterr().err


# ---------------------------------------------------------------------- in a browser


@pytest.fixture
def shown(report: str, tmp_path: Path) -> Page:
    """The page as Chromium has it after its script has run, without its data; `place` is what follows the #."""
    file = tmp_path / "report.html"
    file.write_text(report, encoding="utf-8")

    def show(place: str = "") -> str:
        profile = tmp_path / f"profile{len(list(tmp_path.iterdir()))}"
        command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", "--dump-dom", f"{file.as_uri()}#{place}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
        return re.sub(r"<(script|style)[ >].*?</\1>", "", done.stdout, flags=re.DOTALL)

    return show


def id_of(report: str, kind: str, text: str) -> str:
    return str(next(one["id"] for one in data_of(report)[kind] if text in one["text"]))


@browser
@needs_chromium
def test_a_browser_shows_the_newest_month_and_the_counts(shown: Page) -> None:
    page = shown()
    assert "<title>Memory of Ann</title>" in page
    assert "<b>6</b>turns" in page
    assert "Mind the gap." in page
    timeline = page.split("<main>")[1]
    assert timeline.index("April 2026") < timeline.index("March 2026")
    assert "2 March 2026" not in timeline  # made when it is opened


@browser
@needs_chromium
def test_markup_that_was_said_stays_text(shown: Page, report: str) -> None:
    page = shown(id_of(report, "turns", "onerror"))
    assert "&lt;script&gt;document.title='gone'&lt;/script&gt;" in page
    assert "<img" not in page
    assert "<title>Memory of Ann</title>" in page


@browser
@needs_chromium
def test_search_shows_what_matches_and_nothing_else(shown: Page) -> None:
    page = shown("q=figs%20BALCONY")
    assert "<mark>Figs</mark> grow on my <mark>balcony</mark>" in page
    assert "canal" not in page
    assert "Nothing matches." in shown("q=zeppelin")


@browser
@needs_chromium
def test_what_is_no_longer_true_is_struck_through_and_leads_to_what_replaced_it(shown: Page, report: str) -> None:
    page = shown(id_of(report, "items", "Paris"))
    old = page[page.index('class="fact old') :]
    assert "Ann lives in Paris" in old
    assert "see what replaced it" in old


@browser
@needs_chromium
@pytest.mark.parametrize(("view", "text"), [("topics", "Markup"), ("people", "I moved to Lyon last week!")])
def test_topics_and_people_have_views_of_their_own(shown: Page, view: str, text: str) -> None:
    panel = shown(view).split(f'<section id="{view}"')[1].split("</section>")[0]
    assert text in panel
    assert "hidden" not in panel.split(">")[0]
