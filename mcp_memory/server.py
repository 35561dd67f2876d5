"""The MCP server: five tools, two resources and one prompt over one Memory."""

import functools
import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, ParamSpec

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from mcp_memory import __version__, views
from mcp_memory.answers import ForgetResult, InspectResult, Note, PersonaResult, RecallResult, RememberResult
from mcp_memory.engine import Memory
from mcp_memory.errors import MemoryFault
from mcp_memory.heap import frugal
from mcp_memory.prompts import sections
from mcp_memory.settings import Settings
from mcp_memory.text.clean import plain

logger = logging.getLogger(__name__)
P = ParamSpec("P")

Complexity = Literal["auto", "simple", "hybrid", "complex"]
View = Literal["overview", "timeline", "node", "trace", "pending", "topics"]
_READS: Final = {"read_only_hint": True, "destructive_hint": False, "idempotent_hint": True, "open_world_hint": False}
_HINTS: Final[Mapping[str, dict[str, bool]]] = {
    "remember_turn": _READS | {"read_only_hint": False},
    "recall": _READS,
    "persona": _READS,
    "inspect_memory": _READS,
    "forget": _READS | {"read_only_hint": False, "destructive_hint": True},
}
HANDSHAKE_SECONDS: Final = 0.5  # loading models meanwhile would slow down the first answer
_TITLES: Final = {
    "remember_turn": "Remember this exchange",
    "recall": "Recall memories",
    "persona": "Who somebody is",
    "inspect_memory": "Look into the memory",
    "forget": "Erase memories",
}


class MemoryServer(MCPServer[None]):
    """An MCPServer with lean schemas, which says clearly what is wrong with arguments."""

    async def list_tools(self) -> list[Tool]:
        """As the SDK's, without the titles it derives from parameter names."""
        tools = await super().list_tools()
        return [tool.model_copy(update={"title": None, "input_schema": _lean(tool.input_schema)}) for tool in tools]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """As the SDK's, after refusing arguments the tool does not have: the SDK drops them in silence."""
        for tool in await self.list_tools():
            if tool.name == name:
                _check_names(name, arguments, set(tool.input_schema.get("properties", {})))
                needed = tool.input_schema.get("required", ())
                # some clients send null for what they leave out
                arguments = {key: one for key, one in arguments.items() if one is not None or key in needed}
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {_explain(error.__cause__)}. Nothing was done.") from error.__cause__
            raise


def _lean(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        name: {key: value for key, value in field.items() if key != "title"}
        for name, field in schema.get("properties", {}).items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": fields}


def _check_names(tool: str, arguments: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(arguments) - known)
    if unknown:
        shown = ", ".join(plain(name)[:40] for name in unknown[:5])
        raise ToolError(f"{tool} has no argument {shown}; it takes {', '.join(sorted(known))}. Nothing was done.")


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    return "; ".join(f"`{'.'.join(map(str, one['loc']))}`: {one['msg']}" for one in problems[:5])


def build_server(memory: Memory) -> MCPServer[None]:
    """The server for one memory; run it over any transport of the SDK."""
    texts = sections("server")
    server = MemoryServer(
        "memory",
        title="mcp-memory",
        version=__version__,
        instructions=texts["instructions"],
        log_level="WARNING",
    )
    for tool in _tools(memory):
        name = tool.__name__
        server.tool(
            description=texts[name],
            annotations=ToolAnnotations(title=_TITLES[name], **_HINTS[name]),
        )(_answering(tool))
    _add_extras(server, memory, texts["briefing"])
    return server


def _tools(memory: Memory) -> list[Callable[..., CallToolResult]]:
    def remember_turn(
        user: str,
        assistant: str = "",
        topic: str = "",
        notes: list[Note] = [],  # noqa: B006 - the SDK reads it for the schema; it is never changed
        at: str = "",
        session: str = "",
    ) -> Annotated[CallToolResult, RememberResult]:
        return _reply(views.remembered(memory, user, assistant, topic, notes, at, session))

    def recall(
        query: str, complexity: Complexity = "auto", since: str = "", until: str = "", max_tokens: int = 1024
    ) -> Annotated[CallToolResult, RecallResult]:
        return _reply(views.recalled(memory, query, complexity, since, until, max_tokens))

    def persona(speaker: str = "", at: str = "") -> Annotated[CallToolResult, PersonaResult]:
        return _reply(views.persona(memory, speaker, at))

    def inspect_memory(
        view: View = "overview",
        id: str = "",
        since: str = "",
        until: str = "",
        limit: int = 20,
    ) -> Annotated[CallToolResult, InspectResult]:
        return _reply(views.inspected(memory, view, id, since, until, limit))

    def forget(ids: list[str], confirm: bool = False) -> Annotated[CallToolResult, ForgetResult]:
        return _reply(views.forgotten(memory, ids, confirm))

    return [remember_turn, recall, persona, inspect_memory, forget]


def _add_extras(server: MCPServer[None], memory: Memory, briefing: str) -> None:
    @server.resource("memory://persona", title="Who you are", mime_type="text/plain")
    def persona() -> str:
        return views.persona(memory, "", "")[0]

    @server.resource("memory://briefing", title="What is known and pending", mime_type="text/plain")
    def overview() -> str:
        return "\n\n".join((views.persona(memory, "", "")[0], views.inspected(memory, "overview", "", "", "", 20)[0]))

    @server.prompt("briefing", title="Brief me from memory", description="Load what is remembered about you")
    def brief() -> str:
        return briefing


def serve(settings: Settings) -> None:
    """Serves the settings' memory over stdio until the client is gone; the process ends with it."""
    from mcp_memory import stdio

    frugal()
    with stdio.kept_clean():
        memory = Memory(settings)
        server = build_server(memory)
    leave = stdio.end_with(memory.close)
    stdio.feed(leave)
    memory.start(HANDSHAKE_SECONDS)
    server.run("stdio")
    leave(0.0)


def _reply(shown: tuple[str, BaseModel]) -> CallToolResult:
    text, data = shown
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=data.model_dump(mode="json")
    )


def _answering(tool: Callable[P, CallToolResult]) -> Callable[P, CallToolResult]:
    """Turns our faults into ToolErrors that reach the model; hides the content of all others."""

    @functools.wraps(tool)
    def answered(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        try:
            return tool(*args, **kwargs)
        except MemoryFault as fault:
            raise ToolError(str(fault)) from None
        except Exception as error:  # noqa: BLE001 - a crash must name its kind, never its content
            logger.error("%s failed: %s", tool.__name__, type(error).__name__)  # noqa: TRY400 - a traceback may quote memories
            raise ToolError(
                f"{tool.__name__} failed inside ({type(error).__name__}); what was acknowledged is safe. "
                "Call inspect_memory, or run `mcp-memory doctor`."
            ) from None

    return answered
