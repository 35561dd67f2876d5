"""A note about somebody, read as they would say it: only to classify it, it is kept in its own words."""

import re
from functools import lru_cache
from typing import Final

_USER: Final = ("the user", "user")
_ADVERB: Final = r"(?:\w+ly|also|now|always|never|often|still|just|rarely|no longer|sometimes|has always|have always)"
_VERBS: Final = {
    "is": "am",
    "isn't": "am not",
    "was": "was",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
    "goes": "go",
    "their": "my",
    "his": "my",
    "her": "my",
}
_VERB: Final = re.compile(rf"((?:{_ADVERB} )*)([\w']+)", re.IGNORECASE)
_ALSO: Final = re.compile(
    r"\b(and|but) (is|has|lives|works|loves|likes|prefers|hates|drives|owns|speaks)\b", re.IGNORECASE
)
_THEIRS: Final = re.compile(r"\b(?:his|her|their)\b(?! and\b)", re.IGNORECASE)


def as_first_person(fact: str, name: str, *, user: bool = False) -> tuple[str, ...]:
    """How the person of that name would say `fact`, in one or two readings; none when it is not about them.

    With `user`, "the user" is that person too.  "Ann's sister" may be "my sister", "Ann's tall" "I'm tall".
    """
    said = fact.replace("’", "'").strip()
    found = _about(name, user).match(said)
    if found:
        rest = _THEIRS.sub("my", said[found.end() :].lstrip())
        if found["owns"]:
            return f"My {rest}", f"I'm {rest}"
        if found["and"]:
            return (f"We {_first(rest)}",)
        return (f"I {_first(rest)}",)
    joined = _and(name, user).match(said)
    return (f"{joined[1]} and I {_first(said[joined.end() :].lstrip())}",) if joined else ()


def _first(rest: str) -> str:
    """What follows the subject, its verb in the first person."""
    found = _VERB.match(rest)
    return _ALSO.sub(_also, found[1] + _verb(found[2]) + rest[found.end() :]) if found else rest


def _also(found: re.Match[str]) -> str:
    return f"{found[1]} I {_verb(found[2])}"


def _verb(word: str) -> str:
    """A verb of the third person in the first; other words stay."""
    lower = word.lower()
    if lower in _VERBS:
        return _VERBS[lower]
    if len(lower) > 4 and lower.endswith("ies"):
        return word[:-3] + "y"
    if re.search(r"(?:ch|sh|ss|x|zz)es$", lower):
        return word[:-2]
    return word[:-1] if re.search(r"[^s]s$", lower) else word


def _names(name: str, user: bool) -> str:
    """The names that a note may use: all of it, its first word, and for the user "the user"."""
    names = {name, name.split()[0] if name.split() else name, *(_USER if user else ())} - {""}
    return "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True))


@lru_cache(maxsize=64)
def _about(name: str, user: bool) -> re.Pattern[str]:
    company = r"(?P<and> and (?:(?:my|his|her|their) [\w-]+(?: (?-i:[A-Z])[\w-]+)?|\w+)(?= ))?"
    return re.compile(rf"(?:{_names(name, user)})(?:(?P<owns>'s?(?=\s))|{company}(?=\s))", re.IGNORECASE)


@lru_cache(maxsize=64)
def _and(name: str, user: bool) -> re.Pattern[str]:
    return re.compile(rf"((?:[A-Z][\w-]+|(?:The user|Her|His|Their) [\w-]+)) and (?i:{_names(name, user)})(?=\s)")
