"""What of a message its writer says as themselves, and what is text: quoted, asked for, made up or somebody else's.

When in doubt it is text: a statement that is missed can be made again, a wrong one is believed.
"""

import re
from collections.abc import Iterator
from typing import Final

from mcp_memory.text.sentences import sentences

_FENCED: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_MARKED_UP: Final = re.compile(
    r"<(?:block)?(?:quote|q|code|pre|text|e?mail|document|example|message)\b[^>]{0,80}>[^<]*+"
    r"|\[quote\b[^\]]{0,80}\][^\[]*+",
    re.IGNORECASE,
)
_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:[-*] )?(?:>|\|).*$", re.MULTILINE)
_QUOTED: Final = re.compile(
    r"(?<!\w)\"[^\"]*+\"|(?<!\w)\"(?:[^\n]|\n(?!\s*\n))*+|[“„«][^“”„«»]*+[”“»]|[“„«](?:[^\n]|\n(?!\s*\n))*+"
    r"|`[^`\n]*+`|(?<!\w)['‘](?=\w)(?:[^'’\n]|(?<=\w)['’](?=\w))*+['’](?!\w)"
)
_SAY: Final = (
    r"(?:said|says|saying|asked|asks|replied|replies|answered|answers|wrote|writes|texted|whispered|whispers|shouted"
    r"|shouts|cried|cries|yelled|screamed|sang|sings|sobbed|muttered|mumbled|murmured|declared|declares|exclaimed"
    r"|claimed|claims|announced|added|thought|thinks|told|tells|goes|reads|quipped|joked|complained|complains)"
)
_TEXT: Final = (
    r"(?:poems?|haikus?|limericks?|sonnets?|ballads?|verses?|rhymes?|stor(?:y|ies)|tales?|fables?|novels?|songs?"
    r"|lyrics|raps?|jokes?|riddles?|dialogues?|dialogs?|monologues?|scripts?|screenplays?|sketch|skits?|scenes?"
    r"|e-?mails?|letters?|text|messages?|notes?|essays?|articles?|posts?|tweets?|captions?|slogans?|quotes?|quotations?"
    r"|sentences?"
    r"|phrases?|paragraphs?|passages?|speech|toasts?|reviews?|comments?|ads?|bios?|drafts?|statements?|prompts?"
    r"|characters?|narrators?|role-?plays?|transcripts?|subtitles?|resume|résumé|cv|applications?|blurbs?|lines?"
    r"|translations?|summar(?:y|ies)|excerpts?)"
)
_LANGUAGE: Final = r"(?:grammar|spelling|english|german|french|spanish|italian|following|this|that|these|it|above)"
_ASK: Final = (
    r"(?:translate|write|rewrite|re-write|proof-?read|summari[sz]e|sum up|paraphrase|rephrase|reword|reformulate"
    r"|shorten|draft|compose|make up|invent|come up with|convert|transcribe|parse|classify|annotate|recite|pretend"
    r"|assume|role-?play|say (?:this|(?:that )?i\b)|(?:imagine|suppose)(?: that)? (?:i|you|we|an?|yourself|being)\b"
    r"|(?:act|answer|reply|respond|speak|talk) (?:as|like)\b"
    r"|(?:turn|put|make|change|render) (?:this|that|it|these|the following) (?:into|in|more|less|sound|\w+er)\b"
    rf"|(?:tell|give|make|sing|show|send|generate|produce|create|prepare|provide|add)\b[^.!?:]{{0,40}}?\b{_TEXT}"
    rf"|i(?:'d like| need| want| would like) (?:an?|some|the|another|\w+) (?:\w+ ){{0,3}}?{_TEXT}"
    r"|(?:you are|you're) (?:an?|the|my) [^.!?:]{1,40}? and i(?:'m| am)\b"
    r"|(?:correct|fix|edit|improve|polish|simplify|spell|check(?! out\b)|analy[sz]e|explain|interpret|format"
    r"|complete|continue"
    rf"|finish|repeat|quote|answer|reply to|respond to)(?:[^.!?:]{{0,40}}?\b(?:{_TEXT}|{_LANGUAGE})\b|:))"
)
_MANNERS: Final = (
    r"(?:(?:please|pls|ok|okay|now|then|and|also|hey|hi|hello|so|just|kindly|next|first|finally|let's|let us|help me"
    r"(?: to)?|(?:can|could|would|will) you(?: please| help me(?: to)?)?|i (?:want|need|would like) you to"
    r"|i'd like you to|would you mind),? )*"
)
_REQUEST: Final = re.compile(
    rf"[\W_]*{_MANNERS}(?:{_ASK}|how (?:do|does|would|can|should) \w+ (?:say|write|spell|translate))(?!\w)",
    re.IGNORECASE,
)
_THEN_REQUEST: Final = re.compile(
    rf"[,;–—:(]\W*{_MANNERS}(?:translate|proof-?read|rewrite|rephrase|paraphrase|summari[sz]e|correct) "
    r"(?:this|that|it|the|my|these|in|to)\b",
    re.IGNORECASE,
)
_OF_THE_ABOVE: Final = re.compile(
    r"\b(?:this|that|it|these|those|them|above|previous|preceding|last (?:message|text|sentence)|my (?:text|sentences?"
    r"|grammar|spelling|english|german|french))\b",
    re.IGNORECASE,
)
_NOT_MINE: Final = re.compile(
    r"[\W_]*(?:that|this|those|these)(?:'s| is| was| were| are)? (?:just |only |literally |exactly )?(?:"
    rf"(?:what|how) (?!i\b|i')[^.!?]{{1,60}}?\b(?:{_SAY}|sent|posted|put)\b"
    r"|from (?:an?|the|my|his|her|some) (?:\w+ ){0,2}?(?:book|movie|film|play|show|ad|spam|" + _TEXT + r")\b"
    r"|(?:an?|the|my|his|her|their) (?:\w+ )?(?:words|quote|quotation|lyrics|joke|excerpt|passage|verse)\b)"
    r"|\W*[-–—(]+ ?(?:from|by|quote|excerpt|source|spam)\b"
    rf"|[\W_]*(?:which|what|how|is|are|who|do|does)\b[^.!?]{{0,60}}?\b(?:this|these|those|that"
    rf"|the above) (?:\w+ )?{_TEXT}\b"
    r"|[\W_]*(?:i was |i'm |i am )?(?:just |only )?(?:kidding|joking)\b",
    re.IGNORECASE,
)
_TAG: Final = re.compile(rf"{_SAY}\b|(?:he|she|they|it|the \w+|my \w+) {_SAY}\b")  # goes on in lower case
_SO_SAYS: Final = re.compile(r"([^:]{1,120}): ?(?=[^:]{0,20}\b(?:i|i'm|i've|my)\b)", re.IGNORECASE)
_TEXT_FOLLOWS: Final = re.compile(
    rf"\b(?:{_TEXT}|{_SAY})\b[^:]{{0,80}}:\W*$|^\W*(?:here(?:'s| is| are| comes)|this is|below is|consider|take) "
    rf"(?:(?:my|the|an?|another|some|what|his|her|their|its) )(?:\w+ ){{0,3}}?(?:{_TEXT}|{_SAY})\b",
    re.IGNORECASE,
)

_I_SAY: Final = re.compile(rf"\bi(?:'\w+)? (?:\w+ )?{_SAY}\b", re.IGNORECASE)
_OTHER_SAYS: Final = re.compile(
    rf"\b{_SAY}\b|\baccording to\b|\bas (?!i\b)\w+ (?:put|has) it\b|\bcall(?:ed|s) me:$|\b{_TEXT} go\b"
    r"|(?:believes?|thinks?|insists?|swears?|jokes?|knows?|hopes?|means?)(?: that)?$"
    rf"|\b{_TEXT}\b[^.!?]{{0,60}}(?::|\b(?:in which|where|about how|that (?:goes|begins"
    rf"|starts))\b)|^\W*(?:in|for) (?:my|the|this|that|an?|her|his) (?:\w+ )?{_TEXT}\b",
    re.IGNORECASE,
)
_OF_MYSELF: Final = re.compile(r"\b(?:i|i'm|me|my|myself|things?|facts?|news|truth|reasons?|update)\b", re.IGNORECASE)
_SAID_AFTER: Final = re.compile(
    rf"(?:[,;!?–—]| --?) ?[\"”’]?\s*(?:{_SAY} (?!i\b)\w"
    rf"|(?!(?:as |like )?i\b|(?:and|but|so|which|who|because|when|where)\b)(?:[\w.'-]+ ){{1,4}}{_SAY}\b)",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"^\W*([A-ZÀ-Þ][\w.'’-]*(?: (?:[A-ZÀ-Þ][\w.'’-]*|\([^)]{0,20}\))){0,3}):(?:\s|$)")
_OWN_LABEL: Final = re.compile(
    r"(?:me|i|myself|update|p\.?s\.?|p\.?p\.?s\.?|note|fyi|btw|edit|fact|reminder|also|correction|news|important|hi"
    r"|hello|context|background|allerg(?:y|ies)|diet|job|work|home|family|hobb(?:y|ies)|age|preferences?"
    r"|(?:dis)?likes|facts?|pets?|about me|personal|info|intro|disclaimer)",
    re.IGNORECASE,
)


def own_sentences(text: str, speaker: str = "") -> list[str]:
    """The sentences that the writer of `text` says as themselves; lines labelled with `speaker` are their own."""
    kept: list[str] = []
    script = False  # somebody else's line of a dialogue goes on until the writer's begins
    for sentence in sentences(_without_quotes(text)):
        words = sentence.replace("’", "'")
        if label := _LABEL.match(sentence):
            mine = label.group(1).casefold() == speaker.casefold()
            sentence = sentence[label.end() :] if mine else sentence
            script = not mine and not _OWN_LABEL.fullmatch(label.group(1))
        asked = _REQUEST.match(words) or _THEN_REQUEST.search(words)
        if _NOT_MINE.match(words) or (asked and _OF_THE_ABOVE.search(words)):
            kept.clear()
        elif kept and _TAG.match(words):
            kept.pop()
        elif not script:
            kept.append(sentence)
        if asked or (not label and _introduced(words)):
            break
    return kept


def of_others(sentence: str, begin: int) -> bool:
    """Whether what a sentence tells from `begin` on is told by somebody else, or in a text of some kind."""
    bare = _I_SAY.sub(lambda found: " " * len(found.group()), sentence)
    before = bare[:begin].rstrip()
    if before.endswith(":") and not _of_myself(before[:-1]):
        return True
    asked = _REQUEST.match(bare) or _THEN_REQUEST.search(bare)
    return bool(asked or _OTHER_SAYS.search(before) or _SAID_AFTER.search(bare, begin))


def _of_myself(label: str) -> bool:
    """Whether what follows a colon is the writer's own."""
    return _OF_MYSELF.search(label) is not None or _OWN_LABEL.fullmatch(label.strip(" -*•")) is not None


def _introduced(sentence: str) -> bool:
    """Whether a text begins in or after a sentence: "Here is my poem", "The email says: I am ..."."""
    if _TEXT_FOLLOWS.search(sentence):
        return True
    bare = _I_SAY.sub(" ", sentence)
    found = _SO_SAYS.match(bare)
    return found is not None and (_OTHER_SAYS.search(found[0].rstrip()) is not None or not _of_myself(found[1]))


def _without_quotes(text: str) -> str:
    """`text` without code, quoted lines and whatever in quotation marks is more than part of a sentence."""
    bare = _QUOTED_LINE.sub("\n", _MARKED_UP.sub("\n", _FENCED.sub("\n", text)))
    return "".join(_outside(bare))


def _outside(text: str) -> Iterator[str]:
    last = 0
    for found in _QUOTED.finditer(text):
        if not _of_a_sentence(found.group()):
            yield text[last : found.start()]
            yield "“…”"
            last = found.end()
    yield text[last:]


def _of_a_sentence(quoted: str) -> bool:
    """Whether what is quoted is part of a sentence that others are not torn from, as a title is."""
    closed = len(quoted) > 1 and quoted[0] in '"“„«' and quoted[-1] in '"”“»' and "\n" not in quoted
    return closed and len(sentences(quoted[1:-1])) <= 1
