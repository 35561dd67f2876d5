"""The double of a language model: answers from a script, remembers what it was asked."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mcp_memory.errors import ChatFormatError
from mcp_memory.ports import ChatReply, ChatRequest

Answer = Mapping[str, Any] | Exception
Script = Mapping[str, Sequence[Answer]] | Callable[[ChatRequest], Answer]


class ScriptedChat:
    """Answers by kind, in order, or by a function of the request; an exception in the script is raised.

    `requests` are all it was asked, in order.  Raises ChatFormatError when the script has no answer left.
    """

    def __init__(self, script: Script, model: str = "scripted") -> None:
        self._script = script if callable(script) else {kind: list(answers) for kind, answers in script.items()}
        self._model = model
        self.requests: list[ChatRequest] = []

    @property
    def model(self) -> str:
        """The name it goes by."""
        return self._model

    def complete(self, request: ChatRequest) -> ChatReply:
        """The script's next answer; tokens are counted as characters / 4."""
        self.requests.append(request)
        answer = self._next(request)
        if isinstance(answer, Exception):
            raise answer
        return ChatReply(answer, self._model, (len(request.system) + len(request.user)) // 4, len(str(answer)) // 4)

    def _next(self, request: ChatRequest) -> Answer:
        if callable(self._script):
            return self._script(request)
        answers = self._script.get(request.kind)
        return answers.pop(0) if answers else ChatFormatError(f"the script has no answer left for {request.kind}")
