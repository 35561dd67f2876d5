"""What can be true of only one thing at a time, and which statement ends which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.scribe.selfsaid import key_of
from mcp_memory.scribe.slots import claims, ends


def over(earlier: str, later: str) -> bool:
    """Whether something said earlier no longer holds."""
    return any(ends(new, old) for new in claims(later, "Ann") for old in claims(earlier, "Ann"))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Graz.", "I moved to Linz last month."),
        ("I live in Graz, Austria.", "I live in Vienna, Austria."),
        ("I live in Graz.", "We've moved from Graz to Linz."),
        ("I live in Graz.", "I no longer live in Graz."),
        ("i live in graz", "i just moved to linz"),
        ("Ann lives in Graz", "Ann moved to Linz in May"),
        ("I work as a lab technician at Brandt Diagnostics.", "I left Brandt in June."),
        ("I work as a lab technician at Brandt Diagnostics.", "I started at Nordlicht on July 1st."),
        ("I work at Brandt.", "I was laid off last week."),
        ("I work at Brandt.", "I got a new job at Nordlicht."),
        ("I work at Brandt.", "I don't work at Brandt anymore."),
        ("I work as a nurse.", "I work as a teacher now."),
        ("I work for Brandt.", "The user works for Nordlicht"),
        ("I work in marketing.", "I quit my job."),
        ("I'm married to Jonas.", "Jonas and I got divorced."),
        ("I'm married.", "Jonas and Ann got divorced"),
        ("I'm single.", "I got engaged to Jonas!"),
        ("I'm engaged to Jonas.", "We got married in May."),
        ("I'm married.", "My husband passed away."),
        ("My husband Jonas is an architect.", "I got divorced."),
        ("My boyfriend Tom plays chess.", "I broke up with Tom."),
        ("I'm a software engineer at Google.", "I started at Nordlicht in May."),
        ("I live in Graz.", "I'm living in Linz now."),
        ("I live in Graz, my sister is in Wels.", "I live in Wels."),
        ("I study law at the University of Graz.", "I graduated in June!"),
        ("I'm pregnant.", "Our daughter was born on Monday."),
        ("I love coffee.", "I don't like coffee anymore."),
        ("Ann drives a Volvo", "I no longer drive a Volvo."),
        ("I'm vegan.", "I'm no longer vegan."),
        ("I no longer drink coffee.", "I drink coffee again."),
        ("I'm 41.", "I turned 42 yesterday."),
        ("I'm forty-one years old.", "Ann is 42"),
    ],
)
def test_a_later_statement_of_the_same_ends_the_earlier(earlier: str, later: str) -> None:
    assert over(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Graz.", "I live in Graz with two cats."),
        ("I live in Graz.", "I live in a small flat."),
        ("I live in Graz.", "I moved to the sofa."),
        ("I live in Graz.", "I live with my sister."),
        ("I live in Graz.", "I left Paris yesterday."),
        ("I work as a nurse.", "I left Paris yesterday."),
        ("I work as a nurse.", "I work at the hospital."),
        ("I work at Nordlicht.", "I left Brandt because of the commute."),
        ("I work at Nordlicht.", "I started at Nordlicht in July."),
        ("I work at Nordlicht.", "I quit smoking."),
        ("I'm married to Jonas.", "I'm happily married."),
        ("I'm married to Jonas.", "My sister got divorced."),
        ("I'm 41.", "I turned 18 in 1999."),
        ("I'm 41.", "I'm 20 minutes late."),
        ("I love tea.", "I love coffee."),
        ("I love tea.", "I don't like coffee anymore."),
        ("I work at Brandt.", "I got fired up about it."),
        ("I work at Brandt.", "I retired to bed early."),
        ("I'm married.", "We split up the work."),
        ("I'm single.", "I'm engaged in a debate."),
        ("My wife passed away in May.", "I'm widowed."),
        ("I love tea.", "I don't like tea at five."),
        ("I work at Brandt.", "I got a job offer from Nordlicht."),
    ],
)
def test_what_agrees_or_is_about_something_else_ends_nothing(earlier: str, later: str) -> None:
    assert not over(earlier, later)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm 41.",
        "I am 41 years old.",
        "I'm 41 and tired.",
        "I'm forty-one now.",
        "I turned 42 yesterday.",
        "I'm a 42-year-old with a plan.",
        "I'm now 42!",
    ],
)
def test_an_age_is_found(sentence: str) -> None:
    assert key_of(sentence) == "identity"


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm 20 minutes late.",
        "I'm 90% sure.",
        "I'm 5 feet tall.",
        "I'm 20, maybe 30 minutes away.",
        "I turned 90 degrees left.",
        "I'm 10 pages in.",
        "I'm 50/50 on that.",
        "I'm 15 and a half hours behind.",
    ],
)
def test_another_number_is_no_age(sentence: str) -> None:
    assert key_of(sentence) == ""


@given(st.text(max_size=200))
def test_any_statement_is_borne(value: str) -> None:
    claims(value, value[:10])


@pytest.mark.parametrize("piece", ["i work ", "i just ", "I moved to A ", "a b ", "i "])
def test_a_very_long_statement_does_not_hang(piece: str) -> None:
    claims(piece * 20_000, "Ann")
