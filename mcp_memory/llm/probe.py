"""One tiny structured call, so that `doctor` can say what works before anything depends on it."""

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict

from mcp_memory.errors import ChatDeniedError, ChatError, ChatFormatError
from mcp_memory.ports import Chat, ChatReply, ChatRequest
from mcp_memory.prompts import Prompts

_SECONDS: Final = 30.0


class ProbeReply(BaseModel):
    """The shape asked for."""

    model_config = ConfigDict(extra="forbid")
    city: str
    letters: int


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """`reached`: server, key and model answered; `structured`: in the asked shape, by way of `rung`;
    `says` is one sentence for people."""

    reached: bool
    structured: bool
    says: str
    rung: str = ""


def probe(chat: Chat, prompts: Prompts, deadline: float = _SECONDS) -> ProbeResult:
    """Asks for one small object; never raises ChatError."""
    prompt = prompts.get("probe")
    schema = ProbeReply.model_json_schema()
    try:
        reply = chat.complete(ChatRequest("probe", prompt.system, prompt.user, schema, 256, deadline))
    except ChatDeniedError as error:
        return ProbeResult(reached=False, structured=False, says=f"{chat.model}: {error}")
    except ChatFormatError as error:
        return ProbeResult(reached=True, structured=False, says=f"{chat.model} answers, but not usably: {error}")
    except ChatError as error:
        return ProbeResult(reached=False, structured=False, says=f"{chat.model} cannot be reached: {error}")
    return _works(chat.model, reply)


def _works(model: str, reply: ChatReply) -> ProbeResult:
    rung = str(reply.detail.get("rung", ""))
    without = ", ".join(reply.detail.get("without", ()))
    says = f"{model} answers in the asked shape ({rung or 'as scripted'}{f', without {without}' if without else ''})"
    return ProbeResult(reached=True, structured=True, says=says, rung=rung)
