import json
from collections.abc import Iterator
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from mcp_memory.embed.flag import FlagEmbedder, FlagReranking, is_bge_m3, model_id, pooling_method, window
from mcp_memory.embed.hub import find_model, fingerprint, pull
from mcp_memory.errors import EmbedError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text('{"hidden_size": 32}')
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def test_a_folder_is_found_as_it_is(folder: Path) -> None:
    assert find_model(str(folder)) == folder


@pytest.mark.parametrize(
    "name",
    ["nobody/no-such-model", "/no/such/folder", "a/b/c/d", "~no-such-user/x", " ", "\x00", "x" * 5000],
    ids=ascii,
)
def test_what_is_not_here_tells_how_to_get_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EmbedError, match="mcp-memory models pull"):
        find_model(name)


def test_a_fingerprint_follows_configuration_and_size(folder: Path) -> None:
    before = fingerprint(folder)
    (folder / "README.md").write_text("does not matter")
    assert fingerprint(folder) == before
    (folder / "model.safetensors").write_bytes(b"other weights")
    after = fingerprint(folder)
    (folder / "config.json").write_text('{"hidden_size": 64}')
    assert len({before, after, fingerprint(folder)}) == 3


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff"])
def test_a_folder_without_a_readable_configuration_is_no_model(folder: Path, content: bytes) -> None:
    (folder / "config.json").write_bytes(content)
    with pytest.raises(EmbedError, match=r"config\.json"):
        model_id(str(folder))


def test_pooling_is_what_the_model_says(folder: Path) -> None:
    assert pooling_method(folder) == "cls"
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    assert pooling_method(folder) == "mean"


@pytest.mark.parametrize(
    ("said", "tokens"),
    [
        ({"max_seq_length": 256}, 256),
        ({"max_seq_length": 8192}, 512),
        ({"max_seq_length": None}, 512),
        ({"max_seq_length": 0}, 512),
        ({}, 512),
    ],
)
def test_the_window_is_what_the_model_says_up_to_512(folder: Path, said: dict[str, object], tokens: int) -> None:
    assert window(folder) == 512
    (folder / "sentence_bert_config.json").write_text(json.dumps(said))
    assert window(folder) == tokens


def test_bge_m3_is_known_by_its_heads(folder: Path) -> None:
    assert not is_bge_m3(folder)
    for head in ("colbert_linear.pt", "sparse_linear.pt"):
        (folder / head).touch()
    assert is_bge_m3(folder)


@pytest.mark.skipif(find_spec("FlagEmbedding") is not None, reason="the extra is installed")
def test_a_missing_extra_tells_what_to_install(folder: Path) -> None:
    for load in (FlagEmbedder(str(folder)).load, FlagReranking(str(folder)).load):
        with pytest.raises(EmbedError, match=r"pip install 'mcp-memory\[flag\]'"):
            load()


COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"hidden_size": 32}',
    "model.safetensors": b"weights",
    "onnx/model.onnx": b"the same weights again",
}


class Hub(BaseHTTPRequestHandler):
    """As much of the hub's HTTP interface as a download uses: one repository, someone/small."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        status, body = _hub_answer(self.path)
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.send_header("etag", f'"{sha1(body).hexdigest()}"')
        self.send_header("x-repo-commit", COMMIT)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def _hub_answer(path: str) -> tuple[int, bytes]:
    if path.startswith("/api/models/someone/small/tree/"):
        tree = [{"type": "file", "path": name, "size": len(body), "oid": "0"} for name, body in FILES.items()]
        return 200, json.dumps(tree).encode()
    if path.startswith("/api/models/someone/small"):
        return 200, json.dumps({"id": "someone/small", "sha": COMMIT, "siblings": []}).encode()
    prefix = f"/someone/small/resolve/{COMMIT}/"
    if path.removeprefix(prefix) in FILES:
        return 200, FILES[path.removeprefix(prefix)]
    return 404, b"{}"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A hub on this machine and an empty cache, which is returned."""
    from huggingface_hub import constants

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    yield tmp_path / "cache"
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_was_pulled_is_found_afterwards(hub: Path) -> None:
    with pytest.raises(EmbedError):
        find_model("someone/small")
    pulled = pull("someone/small", progress=False)
    assert hub in pulled.parents
    assert find_model("someone/small") == pulled
    assert sorted(file.name for file in pulled.iterdir()) == ["config.json", "model.safetensors"]


def test_a_model_can_be_pulled_into_a_folder(hub: Path, tmp_path: Path) -> None:
    pulled = pull("someone/small", tmp_path / "mine", progress=False)
    assert (pulled / "model.safetensors").read_bytes() == b"weights"
    assert model_id(str(pulled)).startswith("mine-")


def test_an_interrupted_download_is_not_taken_for_a_model(hub: Path) -> None:
    (pull("someone/small", progress=False) / "model.safetensors").unlink()
    with pytest.raises(EmbedError, match="mcp-memory models pull"):
        find_model("someone/small")


@pytest.mark.parametrize("name", ["someone/unknown", "no name at all", "../..", ""])
def test_a_model_the_hub_does_not_have_cannot_be_pulled(hub: Path, name: str) -> None:
    with pytest.raises(EmbedError, match="cannot download"):
        pull(name, progress=False)


def test_nothing_is_pulled_when_the_user_says_offline(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(EmbedError, match="HF_HUB_OFFLINE"):
        pull("someone/small", progress=False)
