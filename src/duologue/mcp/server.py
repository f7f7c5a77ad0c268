"""Server over standard input and output; the library `mcp` speaks the protocol."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from duologue.core.errors import DuologueError
from duologue.core.extras import need
from duologue.core.version import __version__
from duologue.mcp.tools import FolderTools

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.mcp.open_folder import OpenFolder

    Tool = Callable[..., dict[str, Any]]

INSTRUCTIONS = (
    "Duologue scores dialogue systems on public challenges. Files are named from the folder this server was started "
    "in; nothing outside of it can be read, nothing is written. Report figures with their intervals and signature, and "
    "claim a difference only where `compare` shows one."
)


def make_server(folder: OpenFolder) -> Any:
    """Return the server with its tools. Raises `MissingExtraError` where the library is missing."""
    library = need("mcp.server", "mcp")
    types, refusal = need("mcp.types", "mcp"), need("mcp.server.mcpserver.exceptions", "mcp").ToolError
    made = need("mcp.server.mcpserver.tools", "mcp").Tool.from_function
    hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    tools = FolderTools(folder)
    offered = (tools.list_tasks, tools.list_files, tools.check, tools.score, tools.compare, tools.show)
    listed = [_strict(made(_told(tool, folder, refusal), annotations=hints)) for tool in offered]
    return library.MCPServer(
        "duologue", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR", tools=listed
    )


def _strict(tool: Any) -> Any:
    """Let a tool refuse arguments that it does not have: a result would be accepted unseen by misspelling `data`."""
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = arguments.model_json_schema(by_alias=True)
    return tool


def _told(
    tool: Callable[..., dict[str, Any]], folder: OpenFolder, refusal: type[Exception]
) -> Callable[..., dict[str, Any]]:
    """Return a tool that refuses in our words, without the folder's own path."""

    @functools.wraps(tool)
    def told(*given: Any, **named: Any) -> dict[str, Any]:
        try:
            return tool(*given, **named)
        except DuologueError as error:
            raise refusal(folder.told(str(error))) from None

    return told
