"""From settings to a `Chat`."""

from typing import Final

from mcp_memory.errors import SettingsError
from mcp_memory.llm.anthropic_wire import AnthropicWire
from mcp_memory.llm.budget import Budgeted, SpendLog
from mcp_memory.llm.openai_wire import OpenAIWire
from mcp_memory.llm.structured import StructuredChat
from mcp_memory.ports import Chat, Clock
from mcp_memory.prompts import Prompts
from mcp_memory.settings import Settings

_NO_KEY: Final = "local"  # servers at home want some key, whichever


def make_chat(settings: Settings, spend: SpendLog, clock: Clock) -> Budgeted | None:
    """The configured model within its budget; None when there is none to be.

    Nothing is imported or connected yet.  Without a usable key it exists but is switched off, and its
    `state` says why.  Raises SettingsError for an address that is none.
    """
    llm = settings.llm
    if llm.provider == "none":
        return None
    if llm.base_url and not llm.base_url.startswith(("http://", "https://")):
        raise SettingsError("llm.base_url: must start with http:// or https://")
    key = settings.llm_key().get_secret_value().strip() or (_NO_KEY if llm.base_url else "")
    make = AnthropicWire if llm.provider == "anthropic" else OpenAIWire
    budgeted = within_budget(
        StructuredChat(make(key, llm.model, llm.base_url), Prompts(settings.prompts_dir)), settings, spend, clock
    )
    if not key:
        budgeted.switch_off(f"there is no key; set llm.api_key or {llm.provider.upper()}_API_KEY")
    elif not (key.isascii() and key.isprintable()):
        budgeted.switch_off("the key holds characters that no key has; copy it again")
    return budgeted


def within_budget(chat: Chat, settings: Settings, spend: SpendLog, clock: Clock) -> Budgeted:
    """A chat within the budget that the settings allow."""
    llm = settings.llm
    return Budgeted(chat, spend, llm.calls_per_day, llm.tokens_per_day, llm.concurrency, clock)
