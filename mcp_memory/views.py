"""Each tool's answer twice: as text for a reader and as structure for a program."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from mcp_memory.answers import ForgetResult, HitResult, InspectResult, Note, PersonaResult, RecallResult, RememberResult
from mcp_memory.engine import Memory
from mcp_memory.errors import InputError
from mcp_memory.model.ids import short
from mcp_memory.model.query import Answer, Complexity, Hit, Query
from mcp_memory.model.turn import Note as TurnNote
from mcp_memory.text.clean import has_visible, plain
from mcp_memory.text.outline import outline
from mcp_memory.write.remember import Said

LEAST_TOKENS: Final = 32
MOST_TOKENS: Final = 20_000
MOST_QUERY: Final = 20_000
MOST_ROWS: Final = 500
HEADINGS: Final = {
    "facts": "Facts and quotes",
    "associations": "May also matter",
    "scenes": "Scenes",
    "patterns": "Patterns",
    "profile": "Profile",
}


def remembered(
    memory: Memory, user: str, assistant: str, topic: str, notes: Sequence[Note], at: str, session: str
) -> tuple[str, RememberResult]:
    """`remember_turn`."""
    moment = _moment(memory, at, "at")
    facts = [TurnNote(note.fact, tuple(note.cues), note.replaces) for note in notes]
    done = memory.remember(Said(user, assistant, topic, facts, moment, session))
    result = RememberResult(
        ids=list(done.ids),
        stored=done.stored,
        duplicate=done.duplicate,
        at=done.at.isoformat(),
        redacted=list(done.redacted),
        pending=memory.waiting(),
        notices=_corrections(memory, done.ids) if any(note.replaces for note in notes) else [],
    )
    said = "Already remembered (a repetition of the same turn)." if done.duplicate else "Remembered."
    said += " Its notes are those of the first time." if done.duplicate and notes else ""
    taken = f" Taken out before storing: {', '.join(done.redacted)}." if done.redacted else ""
    ids = ", ".join(short(one) for one in done.ids)
    told = f"{said}{taken} ids: {ids}; {result.pending} turns wait to be indexed (they are found already)."
    return "\n".join([told, *result.notices]), result


def _corrections(memory: Memory, turns: Sequence[str]) -> list[str]:
    """What corrections in these turns replaced, and which fit nothing."""
    corpus = memory.corpus
    corpus.refresh()
    told = {one for turn in turns for one in corpus.corrections(turn)}
    hint = "recall it and pass the id behind the #, or its words"
    missed = [corpus.units[one] for one in corpus.unmatched() if one in told]
    gone = [corpus.units[old] for old, new in corpus.superseded.items() if new in told]
    gone = [one for one in gone if one.view != "quote"] or gone  # a note stands for the words it was told in
    return [
        *(f'`replaces` fits no older fact: "{plain(str(one.detail["replaces"]))[:80]}"; {hint}.' for one in missed),
        *(f'No longer true: "{plain(one.text)[:80]}" #{short(one.id)}.' for one in gone),
    ]


def recalled(
    memory: Memory, query: str, complexity: str, since: str, until: str, max_tokens: int
) -> tuple[str, RecallResult]:
    """`recall`."""
    if not has_visible(query):
        raise InputError("`query` is blank: pass the person's message, or a question in words")
    if max_tokens < LEAST_TOKENS:
        raise InputError(f"`max_tokens` must be at least {LEAST_TOKENS}; leave it out for the default")
    first, last = _moment(memory, since, "since"), _moment(memory, until, "until", end=True)
    if first and last and last <= first:
        raise InputError("`until` is before `since`: swap them, or leave one out")
    chosen: Complexity | str = "" if complexity == "auto" else complexity
    answer = memory.recall(
        Query(
            text=query[:MOST_QUERY],
            owner=memory.owner,
            at=memory.present(),
            complexity=chosen,  # type: ignore[arg-type]  # one of the literals, by the tool's schema
            since=first,
            until=last,
            max_tokens=min(max_tokens, MOST_TOKENS),
        )
    )
    return answer_text(answer), _answer(answer)


def answer_text(answer: Answer) -> str:
    """The lines under their headings, and what a reader must know."""
    # a remark asks for nothing: what it evokes comes first
    names = sorted(HEADINGS, key=lambda one: one != "associations") if answer.plan.form == "remark" else HEADINGS
    parts = [_section(name, [hit for hit in answer.hits if hit.section == name]) for name in names]
    body = "\n\n".join(part for part in parts if part) or "Nothing remembered matches. Do not guess: say so, or ask."
    return "\n\n".join([body, *answer.notices])


def _section(name: str, hits: Sequence[Hit]) -> str:
    return "\n".join([f"{HEADINGS[name]}:", *(f"- {hit.line}" for hit in hits)]) if hits else ""


def _answer(answer: Answer) -> RecallResult:
    return RecallResult(
        hits=[
            HitResult(
                id=hit.id,
                section=hit.section,
                kind=hit.kind,
                text=hit.line,
                sources=list(hit.sources),
                start=hit.start.isoformat(),
                end=hit.end.isoformat(),
                score=round(hit.score, 4),
                via=hit.via,
                source=hit.source,
            )
            for hit in answer.hits
        ],
        complexity=answer.plan.complexity,
        tokens=answer.tokens,
        notices=list(answer.notices),
        trace=answer.trace,
    )


def persona(memory: Memory, speaker: str, at: str) -> tuple[str, PersonaResult]:
    """`persona`."""
    shown = memory.persona(speaker, _moment(memory, at, "at", end=True))
    lines = [f"{shown.speaker}, as of {shown.as_of}" + (f", known since {shown.since[:10]}" if shown.since else "")]
    if shown.portrait:
        lines += ["", *shown.portrait.split("\n")]
    for key, entries in shown.keys.items():
        lines += ["", f"{key.capitalize()}:", *(f"- {_entry(entry)}" for entry in entries)]
    if shown.changes:
        lines += ["", "Changed lately:", *(f"- {_entry(entry)}" for entry in shown.changes)]
    if len(lines) == 1:
        lines += ["", f"Nothing is known{' as of then' if at.strip() else ' yet'}. Do not guess: say so, or ask."]
    lines += ["", *shown.notices] if shown.notices else []
    return "\n".join(lines), PersonaResult(
        speaker=shown.speaker,
        since=shown.since,
        portrait=shown.portrait,
        keys={key: [dict(entry) for entry in entries] for key, entries in shown.keys.items()},
        changes=[dict(entry) for entry in shown.changes],
        notices=list(shown.notices),
    )


def _entry(entry: Mapping[str, Any]) -> str:
    name = f"{entry['name']}: " if entry["name"] else ""
    was = f" (before: {entry['was']})" if entry.get("was") else ""
    evidence = ", ".join(short(turn) for turn in entry["turns"][:3])
    return f"[{entry['when'] or entry['at'][:10]}] {name}{plain(entry['value'])}{was} ({evidence})"


def inspected(memory: Memory, view: str, id: str, since: str, until: str, limit: int) -> tuple[str, InspectResult]:
    """`inspect_memory`."""
    if limit < 1:
        raise InputError(f"`limit` must be between 1 and {MOST_ROWS}")
    first, last = _moment(memory, since, "since"), _moment(memory, until, "until", end=True)
    if first and last and last <= first:
        raise InputError("`until` is before `since`: swap them, or leave one out")
    if view == "node" and not id.strip():
        raise InputError("view=node needs `id`: one shown by recall or by another view")
    data = memory.inspect(view, id.strip(), first, last, min(limit, MOST_ROWS))
    notices = memory.notices()
    text = "\n".join([f"{view}:", *outline(data), *(["", *notices] if notices else [])])
    return text, InspectResult(view=view, data=data, notices=list(notices))


def forgotten(memory: Memory, ids: Sequence[str], confirm: bool) -> tuple[str, ForgetResult]:
    """`forget`."""
    gone = memory.forget([one.strip() for one in ids], confirm=confirm)
    turns = [f"[{turn.at.date()}] {turn.speaker}: {plain(turn.text)[:120]} ({short(turn.id)})" for turn in gone.turns]
    derived = ", ".join(f"{count} {kind}" for kind, count in sorted(gone.derived.items())) or "nothing"
    if confirm:
        text = f"Erased {len(turns)} turns and what stood on them ({derived}); no file holds them any more."
    else:
        listed = "\n".join(f"- {turn}" for turn in turns)
        text = (
            f"This would erase {len(turns)} turns for good, and what stands on them ({derived}):\n{listed}\n"
            "Ask the person, then call forget again with confirm=true."
        )
    result = ForgetResult(
        erased=confirm,
        turns=[turn.id for turn in gone.turns],
        derived=sum(gone.derived.values()),
        notices=list(memory.notices()),
    )
    return text, result


def _moment(memory: Memory, text: str, name: str, *, end: bool = False) -> datetime | None:
    if not text.strip():
        return None
    from mcp_memory.text.dates import parse_moment  # its tables cost a start that most calls never need

    try:
        return parse_moment(text, memory.now(), memory.zone, end=end)
    except InputError as error:
        raise InputError(f"`{name}`: {error}") from None
