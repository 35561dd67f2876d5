"""How the command line starts a server of its own."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp import StdioServerParameters


def server(folder: Path, *settings: str) -> "StdioServerParameters":
    """A server on the data folder `folder`/data with default settings but for `settings` (KEY=VALUE).

    The user's own configuration file has no say: no language model is asked, nothing is paid for.
    """
    from mcp import StdioServerParameters

    config = folder / "empty.toml"
    config.touch()
    given = [one for pair in settings for one in ("--set", pair)]
    place = ["--config", str(config), "--data-dir", str(folder / "data")]
    return StdioServerParameters(command=sys.executable, args=["-m", "mcp_memory", *place, *given])
