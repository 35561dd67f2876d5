"""Model folders: found on this machine without a network, downloaded only when somebody asks for it."""

import hashlib
import json
from pathlib import Path
from typing import Any

from mcp_memory.errors import EmbedError

NEED_EXTRA = "FlagEmbedding is not installed: pip install 'mcp-memory[flag]'"
_WEIGHTS = ("*.safetensors", "*.bin")
# Copies of the same weights for other runtimes: for bge-m3 more than the model itself.
_UNUSED = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "imgs/*", "*.jpg", "*.png"]


def local_folder(name: str) -> Path | None:
    """The folder that a model's name means, if it means one."""
    try:
        path = Path(name).expanduser()
        return path if path.is_dir() else None
    except (OSError, ValueError, RuntimeError):  # too long, NUL, no such user: not a path
        return None


def find_model(name: str) -> Path:
    """The folder of a model given by local path or by hub name, as it lies on this machine.

    Raises EmbedError, telling how to get it, when it is not here.  Never touches the network.
    """
    folder = local_folder(name)
    if folder:
        return folder
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(name, local_files_only=True, ignore_patterns=_UNUSED))
    except ImportError:
        raise EmbedError(NEED_EXTRA) from None
    except (OSError, ValueError):  # not in the cache, incomplete, or no name the hub could know
        raise EmbedError(f"the model {name} is not on this machine: mcp-memory models pull {name}") from None


def pull(name: str, folder: Path | None = None, progress: bool = True) -> Path:
    """Download a model by hub name into `folder` (None: the hub's own cache) and return where it lies.

    `progress` shows the hub's bars on stderr.  Raises EmbedError when the hub refuses or cannot be reached.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError:
        raise EmbedError(NEED_EXTRA) from None
    if not progress:
        disable_progress_bars()
    try:
        return Path(snapshot_download(name, local_dir=folder, ignore_patterns=_UNUSED))
    except Exception as error:  # noqa: BLE001 - the hub's, the HTTP library's and the system's share no base
        raise EmbedError(
            f"cannot download {name} ({type(error).__name__}): check the name, the network, "
            "HF_HUB_OFFLINE, and for gated models HF_TOKEN"
        ) from None


def fingerprint(folder: Path) -> str:
    """Eight hex digits that change with a model's configuration or the size of its weights.

    Raises EmbedError when the folder holds no model.
    """
    digest = hashlib.sha256(json.dumps(read_json(folder / "config.json"), sort_keys=True).encode())
    for weights in sorted(file for pattern in _WEIGHTS for file in folder.glob(pattern)):
        digest.update(f"{weights.name} {weights.stat().st_size}\n".encode())
    return digest.hexdigest()[:8]


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a model folder.  Raises EmbedError when it is missing or not one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EmbedError(
            f"{path} cannot be read ({type(error).__name__}): is this the folder of a complete model?"
        ) from None
    if not isinstance(content, dict):
        raise EmbedError(f"{path} is not a JSON object: is this the folder of a complete model?")
    return content
