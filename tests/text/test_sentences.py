"""Splitting into sentences, and which of them say something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.sentences import is_salient, salience, salient, sentences

ANY = st.text(st.characters(exclude_categories=()), max_size=200)
MARKS = [
    "# Head",
    "- item. two",
    "1. one",
    "```",
    "| a. b | c |",
    "> said",
    "go on. ",
    "Mr. X",
    "\n",
    " ",
    "3.5",
    "。",
    "?!",
]
MARKDOWN = st.lists(st.sampled_from(MARKS)).map("".join)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \n\t ", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("all lower. still two", ["all lower.", "still two"]),
        (
            "I met Dr. Mary J. Blige, e.g. at St. Paul's. Nice.",
            ["I met Dr. Mary J. Blige, e.g. at St. Paul's.", "Nice."],
        ),
        ("It cost 3.5 dollars. No. 5 was v1.2.3.", ["It cost 3.5 dollars.", "No. 5 was v1.2.3."]),
        ("At 5 p.m. we left. At 6 p.m. They came.", ["At 5 p.m. we left.", "At 6 p.m.", "They came."]),
        ("Cats, dogs, etc. They ran.", ["Cats, dogs, etc.", "They ran."]),
        ("Well... maybe. Hm... No.", ["Well... maybe.", "Hm...", "No."]),
        ('"Stop!" she said. (Really.) Yes.', ['"Stop!"', "she said.", "(Really.)", "Yes."]),
        ("So did I. You too?", ["So did I.", "You too?"]),
        ("今日は。元気？「はい！」そう", ["今日は。", "元気？", "「はい！」", "そう"]),
        ("यह है। वह भी।", ["यह है।", "वह भी।"]),
        ("see www.example.com/a.html now", ["see www.example.com/a.html now"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_lists_and_headings_stand_alone_and_keep_their_markers() -> None:
    text = "# Plan\n1. Buy milk. Then eggs.\n2. Rest\n- **Fossil**: good\nand cheap"
    assert sentences(text) == ["# Plan", "1. Buy milk.", "Then eggs.", "2. Rest", "- **Fossil**: good and cheap"]


def test_code_and_table_rows_are_not_torn() -> None:
    text = "Look. Here:\n```python\nx = 1. if y else 2.  # Why. So.\n```\n| a. b | C. D |"
    assert sentences(text) == [
        "Look.",
        "Here:",
        "```python",
        "x = 1. if y else 2.  # Why. So.",
        "```",
        "| a. b | C. D |",
    ]


def test_a_wrapped_line_goes_on() -> None:
    assert sentences("we went to the\nlake. It\nwas cold") == ["we went to the lake.", "It was cold"]


@given(ANY | MARKDOWN)
def test_nothing_but_whitespace_is_lost(text: str) -> None:
    parts = sentences(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part and part == part.strip() and len(part.splitlines()) == 1 for part in parts)


@pytest.mark.parametrize("unit", ["a", ".", ". ", '."', "! ", "\n", "```\n", "| ", "* ", "Mr. ", "。", "(\"'", "... "])
def test_long_runs_of_anything_take_linear_time(unit: str) -> None:
    sentences(unit * (200_000 // len(unit)))


@pytest.mark.parametrize(
    "sentence",
    [
        "I adopted a dog.",
        "We moved to Lisbon.",
        "The race is on Sunday morning.",
        "That lake near the old mill is where the kids learned swimming.",
        "来週の金曜日に京都で友達と会う予定です。",
    ],
)
def test_what_may_be_asked_later_is_salient(sentence: str) -> None:
    assert is_salient(sentence)


@pytest.mark.parametrize(
    "sentence", ["", "Wow!", "Thanks, Mel!", "That's great to hear!", "What did you do in Paris?", "どこ？", "so cool"]
)
def test_questions_and_back_channels_are_not_salient(sentence: str) -> None:
    assert not is_salient(sentence)


def test_salient_sentences_keep_their_order() -> None:
    assert salient("Wow! I ran a race. How are you? We live in Rome now.") == ["I ran a race.", "We live in Rome now."]


def test_facts_rank_above_chatter() -> None:
    ranked = sorted(["Nice!", "I won 300 euros in Rome last May.", "It was good to be there again."], key=salience)
    assert ranked == ["Nice!", "It was good to be there again.", "I won 300 euros in Rome last May."]


@given(ANY)
def test_salience_is_a_share(text: str) -> None:
    assert 0.0 <= salience(text) <= 1.0
