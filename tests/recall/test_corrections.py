"""Facts that are no longer true, seen from before and after."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from mcp_memory import views
from mcp_memory.engine import Memory
from mcp_memory.model.turn import Note
from mcp_memory.ports import FixedClock
from mcp_memory.write.remember import Said

FIRST = datetime(2026, 1, 5, 10, tzinfo=UTC)
THEN = FIRST + timedelta(days=21)


def told(memory: Memory, replaces: str = "") -> None:
    old = Note("Ann works at the Hansa brewery")
    memory.remember(Said("I work at the Hansa brewery.", notes=[old], at=FIRST))
    named = replaces or next(one.id for one in recalled(memory, "Where does Ann work? Hansa brewery"))
    new = Note("Ann works at the ferry office", replaces=named)
    memory.remember(Said("I have a new job at the ferry office.", notes=[new], at=THEN))


def recalled(memory: Memory, query: str, until: str = "") -> list[views.HitResult]:
    return views.recalled(memory, query, "complex", "", until, 1024)[1].hits


def test_a_fact_replaced_by_the_id_that_recall_shows_is_gone_in_every_form(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory)
    assert not [one for one in recalled(memory, "Hansa brewery work") if "Hansa" in one.text]


def test_a_fact_replaced_by_its_words_is_gone_from_summaries_too(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory, "Ann works at the Hansa brewery")
    memory.drain()
    assert not [one for one in recalled(memory, "Why would Ann work at the Hansa brewery?") if "Hansa" in one.text]


def test_before_the_correction_the_older_fact_still_holds(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory)
    assert [one for one in recalled(memory, "Hansa brewery work", "2026-01-15") if "Hansa" in one.text]


def test_a_persona_tells_what_is_true_and_formerly_what_was(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    told(memory)
    memory.drain()
    now, before = views.persona(memory, "", "")[0], views.persona(memory, "", "2026-01-15")[0]
    assert "Hansa" not in now
    assert "ferry office" in now
    assert "Hansa" in before
    assert "as of 2026-01-15" in before


def test_a_line_too_long_for_the_budget_is_cut_and_not_called_nothing(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember(Said("The violin belonged to uncle Marta " + "and it was never played in the house " * 9))
    text, answer = views.recalled(memory, "violin", "auto", "", "", 32)
    assert answer.hits
    assert "violin" in text
    assert answer.tokens <= 32


def test_an_owner_without_memories_hears_that_the_folder_has_another(
    open_memory: Callable[..., Memory], clock: FixedClock
) -> None:
    open_memory().remember(Said("the cat swallowed a ring"))
    text, _ = views.recalled(open_memory(owner="Bo"), "what did the cat swallow", "auto", "", "", 256)
    assert "another" in text
    assert "ring" not in text


def test_a_correction_that_fits_nothing_is_listed_as_work(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember(Said("I like tea", notes=[Note("Ann likes tea", replaces="quantum chromodynamics lecture")]))
    assert memory.inspect("pending", "", None, None, 20)["corrections_that_fit_nothing"]


def test_a_fact_is_replaced_by_the_id_of_the_turn_that_told_it(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    first = memory.remember(
        Said("My bike is red.", notes=[Note("Ann's bike is red"), Note("Ann rides daily")], at=FIRST)
    )
    new = Note("Ann's bike is black", replaces=first.ids[0])
    memory.remember(Said("I painted it.", notes=[new], at=THEN))
    lines = [one.text for one in recalled(memory, "What colour is my bike? Does Ann ride daily?")]
    assert not [line for line in lines if "red" in line]
    assert [line for line in lines if "daily" in line]


def test_the_words_in_which_a_replaced_fact_was_told_go_with_it(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    old = Note("Ann's manager at Bluefin Analytics is Renske Dijkstra")
    said = "My manager is called Renske Dijkstra, she seems strict but fair."
    memory.remember(Said(said, "I see.", notes=[old], at=FIRST))
    new = Note("Ann's manager is Tomasz Wolny", replaces="Ann's manager is Renske Dijkstra")
    memory.remember(Said("Tomasz took over.", notes=[new], at=THEN))
    memory.drain()
    assert not [one for one in recalled(memory, "Who is my manager?") if "Renske" in one.text]


def test_a_long_message_stays_when_one_sentence_of_it_is_replaced(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    said = "My bike is red. The boiler broke at noon, the plumber from Graz repaired it and stayed for cake and coffee."
    memory.remember(Said(said, notes=[Note("Ann's bike is red")], at=FIRST))
    memory.remember(Said("I painted it.", notes=[Note("Ann's bike is black", replaces="Ann's bike is red")], at=THEN))
    assert [one for one in recalled(memory, "Who repaired the boiler?") if "plumber" in one.text]


def test_a_correction_that_fits_nothing_is_told(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    note = views.Note(fact="Ann's bike is black", replaces="zzz no such fact")
    text, result = views.remembered(memory, "I painted it.", "", "", [note], "", "")
    assert result.stored
    assert "`replaces` fits no older fact" in text
    assert result.notices == [text.split("\n")[1]]


def replacing(memory: Memory, named: str, fact: str = "The gym is Pulse") -> views.RememberResult:
    return views.remembered(memory, "A change.", "", "", [views.Note(fact=fact, replaces=named)], "", "")[1]


def test_what_a_correction_replaced_is_told(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember(Said("At Ironworks.", notes=[Note("The gym is Ironworks")], at=FIRST))
    (notice,) = replacing(memory, "The gym is Ironworks").notices
    assert notice.startswith('No longer true: "The gym is Ironworks" #i')


def test_a_single_word_replaces_only_what_is_about_little_else(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    for fact in ("The gym bag is orange", "The gym is Ironworks", "The gym costs 40 euros"):
        memory.remember(Said(f"Noted: {fact}.", notes=[Note(fact)], at=FIRST))
    assert "Ironworks" in replacing(memory, "gym").notices[0]
    lines = [one.text for one in recalled(memory, "How much is the gym, and which colour is its bag?")]
    assert [line for line in lines if "40 euros" in line]
    assert [line for line in lines if "orange" in line]


@pytest.mark.parametrize("named", ["euros", "user", "40"])
def test_a_word_that_happens_to_occur_in_a_fact_replaces_nothing(
    named: str, open_memory: Callable[..., Memory]
) -> None:
    memory = open_memory()
    memory.remember(Said("It costs 40 euros.", notes=[Note("The user's gym costs 40 euros a month")], at=FIRST))
    assert "fits no older fact" in replacing(memory, named).notices[0]


@pytest.mark.parametrize("form", ["#{}", "({})", " {} ", "[#{}]"])
def test_an_id_may_be_passed_as_it_was_shown(form: str, open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.remember(Said("At Ironworks.", notes=[Note("The gym is Ironworks")], at=FIRST))
    shown = next(one.id for one in recalled(memory, "Which gym? Ironworks") if one.kind == "item")
    assert "No longer true" in replacing(memory, form.format(shown[:8])).notices[0]


def test_a_date_in_words_and_the_same_date_in_digits_are_one_fact(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    old = Note("Ann's flight to Oslo is on 2026-03-03.")
    memory.remember(Said("My flight to Oslo is on March 3rd.", "Noted.", notes=[old], at=FIRST))
    new = Note("Ann's flight to Oslo is on 2026-03-06.", replaces=old.fact)
    memory.remember(Said("The airline moved my flight to Oslo to March 6th.", notes=[new], at=THEN))
    lines = [one.text for one in recalled(memory, "When is my flight to Oslo?")]
    assert [line for line in lines if "2026-03-06" in line]
    assert not [line for line in lines if "03-03" in line]


def test_a_scene_shows_nothing_of_what_was_replaced_in_it(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    old = Note("The user lives in Lisbon on Rua Augusta")
    memory.remember(Said("I live in Lisbon, on Rua Augusta.", "I see.", notes=[old], at=FIRST, session="a"))
    memory.remember(Said("The flat is noisy.", "I see.", at=FIRST + timedelta(minutes=5), session="a"))
    new = Note("The user lives in Porto", replaces=old.fact)
    memory.remember(Said("I've moved to Porto, Rua das Flores.", "Nice.", notes=[new], at=THEN, session="b"))
    for _ in range(2):
        for query in ("I need to give somebody my home address.", "Rua Augusta", "Where do I live?"):
            assert not [one for one in recalled(memory, query) if "Lisbon" in one.text]
        memory.drain()


def test_of_a_long_message_the_sentence_that_was_replaced_is_left_out(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    old = Note("The user takes the 7:40 train")
    said = "I take the 7:40 train. The boiler broke at noon and the plumber from Graz repaired it over cake and coffee."
    memory.remember(Said(said, notes=[old], at=FIRST))
    memory.remember(
        Said("There is a new timetable.", notes=[Note("The user takes the 8:15 train", replaces=old.fact)], at=THEN)
    )
    lines = [one.text for one in recalled(memory, "Which train do I take, and who repaired the boiler?")]
    assert not [line for line in lines if "7:40" in line]
    assert [line for line in lines if "plumber" in line]
