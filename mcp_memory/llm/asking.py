"""One question by a named prompt, and its reply as a typed object."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from mcp_memory.errors import ChatFormatError
from mcp_memory.ports import Chat, ChatRequest
from mcp_memory.prompts import Prompt

_Shape = TypeVar("_Shape", bound=BaseModel)


def ask(chat: Chat, prompt: Prompt, user: str, shape: type[_Shape], tokens: int, deadline: float) -> _Shape:
    """The model's reply to `user` under `prompt`'s system part.  Raises ChatError."""
    request = ChatRequest(prompt.name, prompt.system, user, shape.model_json_schema(), tokens, deadline)
    try:
        return shape.model_validate(chat.complete(request).data)
    except ValidationError as error:
        broken = error.error_count()
    raise ChatFormatError(f"the reply breaks its schema in {broken} places")
