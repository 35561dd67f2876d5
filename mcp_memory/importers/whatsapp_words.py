"""What WhatsApp itself writes into a chat where a person's words would stand, in the languages it speaks.

It puts the mark U+200E before most of it on iPhones; on Android there are only the words.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

_DELETED: Final = (
    *("This message was deleted", "You deleted this message", "This message was deleted by admin .{1,100}"),
    *("Diese Nachricht wurde gelöscht", "Du hast diese Nachricht gelöscht"),
    *("Se eliminó este mensaje", "Este mensaje fue eliminado", "Eliminaste este mensaje"),
    *("Mensagem apagada", "(?:Esta|Essa) mensagem foi (?:apagada|eliminada)"),
    "(?:Você )?(?:apagou|eliminou|apagaste|eliminaste) (?:esta|essa) mensagem",
    *("Ce message a été supprimé", "Message supprimé", "(?:Vous avez|Tu as) supprimé ce message"),
    *("Dit bericht (?:is|werd) verwijderd", "(?:Je hebt|U hebt|U heeft) dit bericht verwijderd"),
    *("Questo messaggio è stato eliminato", "Hai eliminato questo messaggio"),
    *("Ta wiadomość została usunięta", "Usunięto tę wiadomość", "Usun(?:ąłeś|ęłaś|ięto przez ciebie) tę wiadomość"),
    *("(?:Данное|Это) сообщение (?:было )?удалено", "Вы удалили (?:данное|это) сообщение"),
    *("Це повідомлення (?:було )?видалено", "Ви видалили це повідомлення"),
    *("Bu mesaj silindi", "Bu mesajı (?:siz )?sildiniz", "Bu mesajı sildin"),
    *("(?:Det här|Detta) meddelandet? raderades", "Du raderade (?:det här|detta) meddelandet?"),
    *("Denne (?:besked|beskeden) blev slettet", "Du slettede denne besked"),
    *("Denne meldingen ble slettet", "Du slettet denne meldingen"),
    *("Tämä viesti poistettiin", "Poistit tämän viestin"),
    *("Tato zpráva byla (?:odstraněna|smazána)", "Tuto zprávu jste (?:odstranili|smazali)"),
    *("Ezt az üzenetet törölték", "Ez az üzenet törölve lett", "Törölted ezt az üzenetet"),
    *("Acest mesaj a fost șters", "(?:Ai|Ați) șters acest mesaj"),
    *("Αυτό το μήνυμα διαγράφηκε", "Διαγράψατε αυτό το μήνυμα"),
    *("Pesan ini telah dihapus", "Anda (?:telah )?menghapus pesan ini"),
    *("このメッセージは削除されました", "(?:あなたは)?このメッセージを削除しました"),
    *(
        "此消息已(?:被)?删除",
        "(?:你|您)(?:已)?删除了?(?:此|这条)消息",
        "(?:此|這則)訊息已(?:被)?刪除",
        "(?:你|您)(?:已)?刪除了?(?:此|這則)訊息",
    ),
    *("삭제된 메시지입니다", "이 메시지는 삭제되었습니다", "이 메시지를 삭제했습니다"),
    *("تم حذف هذه الرسالة", "(?:لقد )?حذفت هذه الرسالة"),
    *("הודעה זו נמחקה", "מחקת (?:את ההודעה הזו|הודעה זו)"),
)
_ATTACHED: Final = (
    *("file attached", "Datei angehängt", "archivo adjunto", "arquivo anexado", "ficheiro anexado", "fichier joint"),
    *("bestand bijgevoegd", "file allegato", "plik załączony", "файл добавлен", "dosya ekli", "bifogad fil"),
)
_EDITED: Final = (
    *("This message was edited", "Diese Nachricht wurde bearbeitet", "Se editó este mensaje", "Mensagem editada"),
    *("Esta mensagem foi editada", "Ce message a été modifié", "Questo messaggio è stato modificato"),
    *("Dit bericht is bewerkt", "Данное сообщение изменено", "Bu mesaj düzenlendi"),
)
_NOTE: Final = re.compile(
    r"\A\u200e[^\n]*|\u200e<[^<>\n]{1,200}>|<(?:attached: [^<>\n]*|Media omitted)>"
    rf"|<(?:{'|'.join(_EDITED)})\.?>|^[^\n]{{1,200}} \((?:{'|'.join(_ATTACHED)})\)$",
    re.MULTILINE,
)
_NOTHING: Final = re.compile(rf"<[^<>\n]{{1,60}}>|null|(?i:{'|'.join(_DELETED)})[.。]?")
_FEWEST_WORDS: Final = 4  # of a sentence: who, what happened, to what
_PARTICLE: Final = 3  # letters at most: "de la", "van der" stand in names


def words_of(text: str) -> str:
    """What a person says in a message; "" where WhatsApp alone says something."""
    spoken = _NOTE.sub("", text).strip()
    return "" if _NOTHING.fullmatch(spoken) else spoken


def is_speaker(name: str, messages: Counter[str]) -> bool:
    """Whether what stands before a colon is somebody's name, and no sentence about the chat.

    `messages` counts how often each such beginning occurs: one that comes again is a name, because losing what
    somebody says is worse than a notice too many.
    """
    first, *rest = name.split() or [""]
    if messages[name] > 1 or len(rest) + 1 < _FEWEST_WORDS or first[0].islower():
        return True
    return not (_is_about_somebody(name.split(), messages) or _is_prose(rest))


def _is_about_somebody(words: Sequence[str], messages: Counter[str]) -> bool:
    """Whether somebody who speaks in the chat is followed by what they did; surnames end with a capital."""
    tails = (words[count:] for count in range(1, len(words)) if messages[" ".join(words[:count])])
    return any(tail[0].islower() and tail[-1].islower() for tail in tails)


def _is_prose(words: Sequence[str]) -> bool:
    """Mostly words in lower case, and not only particles; scripts without case have no such thing."""
    lower = [word for word in words if word[0].islower()]
    return 3 * len(lower) >= 2 * len(words) and sum(len(word) > _PARTICLE for word in lower) > 1
