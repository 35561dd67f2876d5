"""Everything this package raises on purpose.

    MemoryFault
    ├── InputError            the caller can mend it: the message says how
    ├── SettingsError         a configuration key or value is wrong
    ├── StoreError            the data folder cannot be used as it is
    │   ├── StoreBusyError    another process holds it; try again
    │   ├── StoreDamagedError readable parts go on; `mcp-memory doctor` names the fix
    │   └── StoreTooNewError  written by a newer version; nothing was touched
    ├── EmbedError            vectors cannot be made; lexical recall goes on
    └── ChatError             a language model did not answer usably
        ├── ChatDeniedError   key, quota or model refused: pointless to retry
        ├── ChatTimeoutError  no answer in time: the server is slow, or the question too large for it
        ├── ChatPausedError   nothing was asked: the day's budget is used up, or too many calls are under way
        └── ChatFormatError   it answered, but not in the asked shape
            └── ChatTooLargeError  more than it can read at once: ask about less

Messages never hold the content of memories, prompts or keys.
"""

import logging
from typing import ClassVar


class MemoryFault(Exception):
    """Base of all faults raised here; `str()` is one sentence a person can act on."""

    level: ClassVar[int] = logging.WARNING  # at which background work, which goes on, reports it


class InputError(MemoryFault):
    """An argument cannot be used."""


class SettingsError(MemoryFault):
    """A setting is unknown or has an unusable value."""


class StoreError(MemoryFault):
    """The data folder or a table in it cannot be used."""


class StoreBusyError(StoreError):
    """A lock was not free in time; retrying later is right."""

    level = logging.INFO  # somebody is at it already


class StoreDamagedError(StoreError):
    """Files are missing or unreadable."""


class StoreTooNewError(StoreError):
    """The store was written by a newer version of this program."""


class EmbedError(MemoryFault):
    """An embedder is missing, damaged or does not match the store."""


class ChatError(MemoryFault):
    """A call to a language model failed; `retryable` tells whether later may be better.

    `calls`, `input_tokens` and `output_tokens` were spent in vain; a budget counts them all the same.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class ChatDeniedError(ChatError):
    """The provider refuses this key, quota or model."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=False)


class ChatTimeoutError(ChatError):
    """The deadline passed; asking the same again may end the same way."""


class ChatPausedError(ChatError):
    """Nothing was asked and nothing is wrong with the question: the budget says not now."""


class ChatFormatError(ChatError):
    """The reply was refused, cut or not valid against the schema."""


class ChatTooLargeError(ChatFormatError):
    """More than the model can read at once; a smaller batch may pass."""
