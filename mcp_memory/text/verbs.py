"""Verbs and nouns that tell on which side of the present a date lies; what they decide is told in `tense`."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR: Final = _words(  # with the participles that differ
    "was were had went gone did done got gotten met saw seen came took taken made been gave given found ran won lost "
    "ate eaten became began begun bit bitten blew blown born broke broken built burnt bought caught chose chosen cut "
    "dealt drew drawn dreamt drank drunk drove driven fell fallen fed felt fought flew flown forgot forgotten froze "
    "frozen grew grown heard held hid hidden hit hurt kept knew known laid led learnt left lent let lit meant paid "
    "put quit read rode ridden rang rung rose risen said sank sold sent shook shot shut sang sung slept spoke spoken "
    "spent stole stolen stood struck stuck swam swept swore sworn taught tore torn thought threw thrown told "
    "understood woke wore worn wrote written since sat"
)
_NOT_PAST: Final = _words(
    "need feed seed speed indeed hundred exceed proceed succeed embed breed excited thrilled worried scared interested "
    "tired united stressed pleased concerned overwhelmed determined frustrated"
)
ARRANGED: Final = _words(
    "agreed arranged booked decided due enrolled expected invited planned promised registered reserved "
    "scheduled settled"
)
ASKED: Final = _words(
    "asked told reminded ordered begged persuaded convinced encouraged urged advised appointed approved chose chosen "
    "confirmed guaranteed hired offered pledged rented required secured selected volunteered vowed"
)
SHIFTED: Final = _words(
    "adjourned announced brought called changed delayed extended fixed gave given got moved postponed pushed put "
    "rebooked rescheduled set shifted switched"
)
GETTING: Final = _words("got received bought booked found made given gave sent")
HELD: Final = _words(
    "ticket tickets appointment appointments reservation reservations booking bookings invitation invitations slot "
    "slots seat seats deadline"
)
NEWS: Final = _words(
    "letter letters message messages mail mails email emails call calls notice notices offer offers job jobs post "
    "place date dates spot permission chance"
)
MODALS: Final = _words("will wo shall can ca should must might would ll gonna")
BEING: Final = _words("is are am m re be being get gets")
HAVING: Final = _words("have has ve")
WEAK: Final = BEING | HAVING | _words("do does")
STRONG: Final = _words("need needs want wants hope hopes hoping plan plans going wait forward upcoming next")
_NO_GERUND: Final = _words(
    "morning evening wedding meeting thing something anything everything nothing during spring string building ceiling "
    "king ring bring sing swing training"
)
SUBJECTS: Final = _words("i we you they who that which")
PRONOUNS: Final = SUBJECTS | _words("he she it me him her us them everyone everybody")
ARTICLES: Final = _words("a an the my our your his her their no")
BEFORE_GERUNDS: Final = _words("about after and at before besides by for from in like of than with without")
ADVERBS: Final = _words(
    "not n't also still then already now just all so never ever always only both very too quite pretty kinda"
)
_LIKELY: Final = _words(  # what people say in the present tense of what will be
    "arrive attend begin bring celebrate close come depart drive end expire fall finish fly get give go graduate "
    "happen head hold host join land launch leave marry meet move open perform play release retire return run "
    "sail see sing speak start stay take target travel turn visit work"
)
# what 's leads to when it stands for "has"
_STATES: Final = _words(
    "been had known lived worked studied played wanted loved taught kept owned run used practiced dated"
)
# after these "for six weeks" tells how long it will be
_DEFERRED: Final = ARRANGED | ASKED | _words("postponed suspended extended banned")
_BOUNDED: Final = _DEFERRED | _words("borrowed came come gone left lent moved started went")


def is_past(word: str) -> bool:
    """Whether a word in small letters is a past form or a participle."""
    return word in _IRREGULAR or (len(word) > 3 and word.endswith("ed") and word not in _NOT_PAST)


def is_base(word: str) -> bool:
    """start, leave."""
    return word in _LIKELY


def is_third_person(word: str) -> bool:
    """starts, marries, goes."""
    stem = word.removesuffix("s")
    return word.endswith("s") and bool({stem, stem.removesuffix("e"), f"{stem.removesuffix('ie')}y"} & _LIKELY)


def is_gerund(word: str) -> bool:
    """Any verb's, as far as the ending tells."""
    return len(word) > 4 and word.endswith("ing") and word not in _NO_GERUND


def is_likely_gerund(word: str) -> bool:
    """starting, leaving, running."""
    stem = word.removesuffix("ing")
    return word.endswith("ing") and bool({stem, f"{stem}e", stem[:-1]} & _LIKELY)


def lasts(participle: str, following: str, *, short: bool) -> bool:
    """Whether "has `participle` … for six weeks" is said of the six weeks up to now; `short` after 's."""
    if participle == "been":
        return following not in _DEFERRED
    return participle in _STATES if short else is_past(participle) and participle not in _BOUNDED
