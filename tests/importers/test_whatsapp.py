from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_memory.importers.source import opened
from mcp_memory.importers.whatsapp import read

Take = Callable[..., Any]
Write = Callable[..., Path]
BERLIN = ZoneInfo("Europe/Berlin")
IOS = (
    "[31/12/24, 21:05:33] Trip: \u200eMessages and calls are end-to-end encrypted.\r\n"
    "[31/12/24, 21:05:33] Ann: Who brings bread?\r\n"
    "\u200e[31/12/24, 21:06:00] ~\u202fBob: \u200eimage omitted\r\n"
    "[31/12/24, 21:07:10] ~\u202fBob: I do.\nTwo loaves:\n\nrye and white\r\n"
    "[31/12/24, 21:07:10] ~\u202fBob: @\u2068Ann\u2069 okay? \u200e<This message was edited>\r\n"
)
ANDROID = (
    "12/31/24, 9:05\u202fPM - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
    '12/31/24, 9:05\u202fPM - Bob changed the subject from "A: b" to "C"\n'
    "12/31/24, 9:05\u202fPM - Ann: Who brings bread?\n"
    "12/31/24, 9:06\u202fPM - Bob: <Media omitted>\n"
    "1/1/25, 12:07\u202fAM - Bob: IMG-1.jpg (file attached)\nI do.\n"
    "1/1/25, 12:08\u202fAM - Bob: This message was deleted\n"
)


def chat(*texts: str) -> str:
    return "".join(f"{text}\n" for text in texts)


def test_an_iphones_chat_is_read(file: Write, take: Take) -> None:
    taken = take(file(IOS, "_chat.txt"))
    assert (taken.format, taken.damaged) == ("whatsapp", [])
    assert taken.said == [
        ("Ann", "Who brings bread?"),
        ("Bob", "I do.\nTwo loaves:\n\nrye and white"),
        ("Bob", "@Ann okay?"),
    ]
    assert taken.turns[0].at == datetime(2024, 12, 31, 21, 5, 33, tzinfo=BERLIN)
    assert [turn.role for turn in taken.turns] == ["user", "other", "other"]


def test_an_androids_chat_is_read(file: Write, take: Take) -> None:
    taken = take(file(ANDROID, "WhatsApp Chat with Trip (2).txt"))
    assert taken.said == [("Ann", "Who brings bread?"), ("Bob", "I do.")]
    first, second = taken.turns
    assert (first.session, first.ref) == ("whatsapp:Trip", "whatsapp:Trip/2024-12-31T21:05:00/3")
    assert second.at == datetime(2025, 1, 1, 0, 7, tzinfo=BERLIN)


def test_a_zip_with_pictures_and_other_texts_is_read(archive: Write, take: Take) -> None:
    files = {"_chat.txt": IOS, "photo.jpg": b"\xff\xd8", "recipe.txt": "Flour: 500 g\nWater: 300 g"}
    taken = take(archive(files, "WhatsApp Chat - Trip.zip"))
    assert len(taken.turns) == 3
    assert {turn.session for turn in taken.turns} == {"whatsapp:Trip"}


def test_the_same_words_twice_in_a_minute_are_two_messages(file: Write, take: Take) -> None:
    taken = take(file(chat(*["31.12.24, 21:05 - Bob: Ha"] * 2)))
    assert len({turn.id for turn in taken.turns}) == 2


@pytest.mark.parametrize(
    "header",
    [
        "[31/12/2024, 21:05:33] Bob: ",
        "[31.12.24, 21:05:33] Bob: ",
        "[31.12.2024 klo 21.05.33] Bob: ",
        "[31-12-24 9:05:33 p.\u00a0m.] Bob: ",
        "[2024/12/31 下午9:05:33] Bob: ",
        "[2024. 12. 31. 오후 9:05:33] Bob: ",
        "[12/31/24, 9:05:33\u202fPM] Bob: ",
        "31/12/2024 21:05 - Bob: ",
        "31.12.24, 21:05 – Bob: ",
        "2024-12-31 21:05 - Bob: ",
        "31/12/24, 9:05 pm - Bob: ",
        "31/12/24, 9:05 p. m. - Bob: ",
        "\u200f31\u200f/12\u200f/2024, 21:05 - Bob: ",
        "\ufeff31/12/2024, 21:05 - \u202aBob\u202c: ",
    ],
)
def test_phones_in_many_languages_write_the_same_moment(file: Write, take: Take, header: str) -> None:
    (turn,) = take(file(chat(f"{header}Hi"))).turns
    assert (turn.speaker, turn.text) == ("Bob", "Hi")
    assert turn.at.astimezone(BERLIN).replace(second=0, tzinfo=None) == datetime(2024, 12, 31, 21, 5)


@pytest.mark.parametrize(
    ("days", "first"),
    [
        (["01/02/24", "13/02/24"], "2024-02-01"),
        (["01/02/24", "01/13/24"], "2024-01-02"),
        (["03/04/24", "04/04/24", "05/04/24"], "2024-04-03"),
        (["03/04/24", "03/05/24", "03/06/24"], "2024-03-04"),
        (["11/02/24", "10/03/24", "12/04/24"], "2024-02-11"),
        (["04.03.24"], "2024-03-04"),
        (["03/04/24"], "2024-04-03"),
    ],
)
def test_the_whole_file_tells_day_and_month_apart(file: Write, take: Take, days: list[str], first: str) -> None:
    taken = take(file(chat(*(f"{day}, 21:05 - Bob: Hi" for day in days))))
    assert taken.turns[0].at.date().isoformat() == first


def test_one_day_in_american_writing_is_read_as_americans_do(file: Write, take: Take) -> None:
    assert take(file("3/4/24, 9:05 PM - Bob: Hi")).turns[0].at.date().isoformat() == "2024-03-04"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.integers(0, 3_000_000), min_size=8, max_size=30),
    st.datetimes(datetime(2012, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["[%d/%m/%y, %H:%M:00] ", "%m/%d/%y, %I:%M %p - ", "%d.%m.%Y, %H:%M - ", "%Y-%m-%d %H:%M - "]),
)
def test_a_long_enough_chat_is_dated_right(
    file: Write, take: Take, steps: list[int], start: datetime, pattern: str
) -> None:
    moments = [start.replace(day=25, second=0, microsecond=0)]
    for step in steps:
        moments.append((moments[-1] + timedelta(seconds=step)).replace(second=0))
    taken = take(file(chat(*(f"{moment.strftime(pattern)}Bob: Hi" for moment in moments))))
    assert [turn.at.astimezone(BERLIN) for turn in taken.turns] == [
        moment.replace(tzinfo=BERLIN).astimezone(ZoneInfo("UTC")).astimezone(BERLIN) for moment in moments
    ]


@pytest.mark.parametrize(
    "silent",
    [
        "Bob: <Medien ausgeschlossen>",
        "Bob: \u200e<attached: 00000012-PHOTO.jpg>",
        "Bob: \u200eMissed voice call",
        "Bob: null",
        "Bob: ",
        "Bob added Cem",
        "See https://example.org for more",
    ],
)
def test_what_nobody_says_is_left_out(file: Write, take: Take, silent: str) -> None:
    taken = take(file(chat("31.12.24, 21:05 - Bob: Hi", f"31.12.24, 21:05 - {silent}")))
    assert (len(taken.turns), taken.damaged) == (1, [])


def test_what_cannot_be_used_is_told_and_passed_over(file: Write, take: Take) -> None:
    taken = take(
        file(
            b"the end of something\nand more\n31.12.24, 21:05 - Bob: half \xff\x00\n"
            b"45.45.24, 21:05 - Bob: When?\n31.12.24, 25:61 - Bob: When?\n"
            b"31.12.24, 21:06 - Bob: " + b"x\n" * 1_100_000 + b"31.12.24, 21:07 - Bob: Bye\n"
        )
    )
    assert [text for _, text in taken.said] == ["half \ufffd\ufffd", "Bye"]
    assert [(one.where.partition(", ")[2], one.why.split()[0]) for one in taken.damaged] == [
        ("line 1", "stands"),
        ("line 4", "has"),
        ("line 5", "`at`"),
        ("line 6", "`text`:"),
    ]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.characters(codec="utf-8") | st.sampled_from("0123456789/.:,[] -\n\u200e"), max_size=80))
def test_no_text_whatever_breaks_it(file: Write, take: Take, text: str) -> None:
    assert take(file(f"31.12.24, 21:05 - Bob: Hi\n{text}"), "whatsapp").turns


@pytest.mark.parametrize(
    "notice",
    [
        "This message was deleted",
        "This message was deleted by admin Ann",
        "Diese Nachricht wurde gelöscht.",
        "Du hast diese Nachricht gelöscht.",
        "Se eliminó este mensaje.",
        "Eliminaste este mensaje.",
        "Mensagem apagada",
        "Você apagou esta mensagem",
        "Esta mensagem foi eliminada",
        "Ce message a été supprimé",
        "Vous avez supprimé ce message",
        "Dit bericht is verwijderd",
        "Je hebt dit bericht verwijderd",
        "Questo messaggio è stato eliminato",
        "Hai eliminato questo messaggio",
        "Данное сообщение удалено",
        "Bu mesaj silindi",
        "此消息已删除",
        "IMG-1.jpg (Datei angehängt)",
        "IMG-1.jpg (archivo adjunto)",
        "<Médias omis>",
    ],
)
def test_what_whatsapp_says_in_a_persons_place_is_not_their_words(file: Write, take: Take, notice: str) -> None:
    taken = take(file(chat("31.12.24, 21:05 - Bob: Hi", f"31.12.24, 21:05 - Bob: {notice}")))
    assert taken.said == [("Bob", "Hi")]


@pytest.mark.parametrize("said", ["Null", "I think this message was deleted by Ann", "Mensagem apagada? Qual?"])
def test_words_like_whatsapps_are_a_persons_own(file: Write, take: Take, said: str) -> None:
    assert take(file(chat(f"31.12.24, 21:05 - Bob: {said}"))).said == [("Bob", said)]


@pytest.mark.parametrize(
    "mark", ["<Diese Nachricht wurde bearbeitet.>", "<Se editó este mensaje.>", "\u200e<Mensagem editada>"]
)
def test_that_a_message_was_edited_is_not_part_of_it(file: Write, take: Take, mark: str) -> None:
    assert take(file(chat(f"31.12.24, 21:05 - Bob: Hi {mark}"))).said == [("Bob", "Hi")]


@pytest.mark.parametrize(
    "line",
    [
        "Tom changed this group's settings: only admins can write",
        "Tom hat die Gruppeneinstellungen geändert: nur Admins",
        "Die Gruppeneinstellungen wurden geändert: nur Admins",
        "You changed this group's settings: only admins",
        "+49 171 1234567 changed this group's description: see below",
        "Tom left\nand more: this",
    ],
)
def test_a_sentence_about_the_chat_makes_nobody_a_speaker(file: Write, take: Take, line: str) -> None:
    said = [f"31.12.24, 21:0{n} - Tom: Hi {n}" for n in range(3)]
    taken = take(file(chat(*said, f"31.12.24, 21:05 - {line}")))
    assert {speaker for speaker, _ in taken.said} == {"Tom"}


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("Maria de la Cruz", 1),
        ("Tom van den Berg", 1),
        ("Juan de la cruz", 1),
        ("Anna Maria von der Heide", 1),
        ("Dr. med. van den Berg", 1),
        ("oma von nebenan unten", 1),
        ("+49 171 1234567", 1),
        ("山田さん 隣の部屋の人", 1),
        ("Lisa from the office downstairs", 2),
        ("🌻 Pia", 1),
    ],
)
def test_what_people_are_called_in_a_phone_is_a_name(file: Write, take: Take, name: str, times: int) -> None:
    taken = take(file(chat("31.12.24, 21:04 - Tom: Hi", *[f"31.12.24, 21:05 - {name}: Hello"] * times)))
    assert [speaker for speaker, _ in taken.said] == ["Tom", *[name] * times]


@pytest.mark.parametrize(
    ("days", "remark"),
    [
        (["03/04/24"], "the day was taken to be first, so that 3/4/24 is 2024-04-03"),
        (["03/03/24", "03/04/24"], ""),  # a day apart, or a month
        (["03/03/24"], ""),
        (["13/04/24"], ""),
        (["03.04.24"], ""),  # nobody writes the month first with dots
        (["2024/03/04"], ""),
    ],
)
def test_an_order_of_day_and_month_that_is_a_guess_is_told(file: Write, days: list[str], remark: str) -> None:
    with opened(file(chat(*(f"{day}, 21:05 - Bob: Hi" for day in days)))) as source:
        list(read(source))
        assert len(source.remarks) == bool(remark)
        assert remark in "".join(source.remarks)
