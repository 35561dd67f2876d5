"""Check digits of the numbers that money hangs on."""

import re
from typing import Final

# Issuers' beginnings and the lengths they give out (ISO/IEC 7812; the issuers' public ranges).
_CARD: Final = re.compile(
    r"4\d{12}(?:\d{3}(?:\d{3})?)?"  # Visa
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"  # American Express, Diners Club
    r"|(?:6011|65\d\d|64[4-9]\d|35(?:2[89]|[3-8]\d))\d{12}"  # Discover, JCB
    r"|62\d{14,17}"  # UnionPay
)
# ISO 13616 lengths, as the registry lists them.
_COUNTRIES: Final = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH CR HR LI LV",
    22: "BG BH DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
_IBAN: Final = {country: length for length, countries in _COUNTRIES.items() for country in countries.split()}


def is_card(text: str) -> int:
    """The length of `text` if it is a payment card number with a right check digit (Luhn), else 0."""
    digits = re.sub("[ .\u00a0\u2009\u202f-]", "", text)
    if not (digits.isascii() and _CARD.fullmatch(digits) and len(set(digits)) > 1):
        return 0
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return 0 if (sum(doubled) + sum(map(int, digits[::-2]))) % 10 else len(text)


def iban_length(text: str) -> int:
    """How many characters at the beginning of `text` are an IBAN with right check digits (ISO 13616); 0 if none."""
    size = _IBAN.get(text[:2], 0)
    places = [place for place, char in enumerate(text) if not char.isspace()][:size]
    compact = "".join(text[place] for place in places)
    if not size or len(compact) != size or not (compact.isascii() and compact.isalnum()):
        return 0
    end = places[-1] + 1
    number = "".join(str(int(char, 36)) for char in compact[4:] + compact[:4])
    return 0 if text[end : end + 1].isalnum() or int(number) % 97 != 1 else end
