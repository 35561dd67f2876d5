import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.embed.remote import BYTE_LIMITS, RemoteEmbedder, cut
from mcp_memory.errors import EmbedError

SECRET = "sk-test-0123456789abcdef"
PRIVATE = "the words of the user"


@dataclass
class Answer:
    """What the stub sends: a status, a body, headers; a slow one drips blanks before it until `released`."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    dripping: bool = False


@dataclass
class Stub:
    """An endpoint under the test's control; `requests` are the parsed bodies, `keys` the headers they came with."""

    url: str = ""
    answer: Callable[[dict[str, Any]], Answer] = field(default=lambda request: Answer(vectors(request)))
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    released: Event = field(default_factory=Event)


def vectors(request: dict[str, Any]) -> dict[str, Any]:
    """A correct reply: three numbers that tell texts apart, not normalised."""
    rows = [[float(len(text)), float(sum(map(ord, text)) % 97), 1.0] for text in request["input"]]
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
    return {"object": "list", "model": request["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@pytest.fixture
def stub() -> Iterator[Stub]:
    state = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.requests.append(request)
            state.keys.append(self.headers["authorization"])
            _send(self, state.answer(request), state.released)

        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    state.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


def _send(handler: BaseHTTPRequestHandler, answer: Answer, released: Event) -> None:
    body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
    handler.send_response(answer.status)
    for name, value in answer.headers.items():
        handler.send_header(name, value)
    if not answer.dripping:
        handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    try:
        while answer.dripping and not released.wait(0.01):
            handler.wfile.write(b" ")
        handler.wfile.write(body)
    except OSError:  # the client gave up, as it should
        handler.close_connection = True


@pytest.fixture
def remote(stub: Stub) -> RemoteEmbedder:
    return RemoteEmbedder("some-model", SECRET, stub.url, deadline=5)


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], Answer]:
    """A correct reply after `change` has been at it."""

    def answer(request: dict[str, Any]) -> Answer:
        reply = vectors(request)
        change(reply)
        return Answer(reply)

    return answer


def refusal(status: int, **headers: str) -> Answer:
    """An error as the official endpoint words it: quoting key and input."""
    message = {"error": {"message": f"{SECRET} {PRIVATE}", "type": "error", "code": "error"}}
    return Answer(message, status, {"content-type": "application/json", "retry-after-ms": "1", **headers})


def test_rows_are_normalised_and_the_dimension_is_learned(stub: Stub, remote: RemoteEmbedder) -> None:
    rows = remote.embed(["one", "another"])
    assert rows.shape == (2, 3)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert remote.dimension == 3
    assert len(stub.requests) == 1
    assert stub.requests[0] == {"input": ["one", "another"], "model": "some-model", "encoding_format": "float"}


def test_asking_for_the_dimension_first_costs_one_request(stub: Stub, remote: RemoteEmbedder) -> None:
    assert remote.dimension == remote.dimension == 3
    assert remote.embed([]).shape == (0, 3)
    assert len(stub.requests) == 1


def test_at_most_64_texts_go_in_one_request(stub: Stub, remote: RemoteEmbedder) -> None:
    texts = [f"text {'x' * at}" for at in range(130)]
    rows = remote.embed(texts)
    assert [len(request["input"]) for request in stub.requests] == [64, 64, 2]
    assert np.allclose(rows[100], remote.embed([texts[100]])[0])


def test_vectors_are_put_in_order_by_their_index(stub: Stub, remote: RemoteEmbedder) -> None:
    straight = remote.embed(["a", "bb", "ccc"])
    stub.answer = changed(lambda reply: reply["data"].reverse())
    assert np.allclose(remote.embed(["a", "bb", "ccc"]), straight)


def test_local_servers_get_a_dummy_key(stub: Stub) -> None:
    RemoteEmbedder("some-model", "", stub.url).embed(["x"])
    assert stub.keys == ["Bearer none"]


def test_without_a_key_the_official_endpoint_is_not_called() -> None:
    with pytest.raises(EmbedError, match=r"embed\.api_key"):
        RemoteEmbedder().embed(["x"])


def test_the_environment_cannot_redirect_it(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(EmbedError, match="no key"):
        RemoteEmbedder().embed(["x"])
    assert stub.requests == []


@pytest.mark.parametrize(
    "change",
    {
        "one too few": lambda reply: reply["data"].pop(),
        "one too many": lambda reply: reply["data"].append(reply["data"][0]),
        "an index twice": lambda reply: reply["data"][1].update(index=0),
        "no index": lambda reply: reply["data"][1].pop("index"),
        "an index that is a list": lambda reply: reply["data"][1].update(index=[]),
        "not a number": lambda reply: reply["data"][1].update(embedding=[float("nan"), 0.0, 1.0]),
        "zero": lambda reply: reply["data"][1].update(embedding=[0.0, 0.0, 0.0]),
        "unequal lengths": lambda reply: reply["data"][1].update(embedding=[1.0]),
        "words": lambda reply: reply["data"][1].update(embedding=["a", "b", "c"]),
        "no vector": lambda reply: reply["data"][1].pop("embedding"),
        "no data": lambda reply: reply.pop("data"),
        "data of another kind": lambda reply: reply.update(data={"index": 0}),
        "entries of another kind": lambda reply: reply.update(data=[1, 2]),
    }.items(),
    ids=lambda pair: pair[0],
)
def test_an_unusable_reply_is_refused(stub: Stub, remote: RemoteEmbedder, change: Any) -> None:
    stub.answer = changed(change[1])
    with pytest.raises(EmbedError):
        remote.embed(["a", "bb"])


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>Welcome to the wifi</html>", headers={"content-type": "text/html"}),
        Answer(b"<html>", headers={"content-type": "application/json"}),
        Answer(b"", headers={"content-type": "application/json"}),
        Answer(b"[]", headers={"content-type": "application/json"}),
        Answer(b"null", headers={"content-type": "application/json"}),
    ],
    ids=["html", "html as json", "empty", "list", "null"],
)
def test_a_success_that_is_no_reply_is_refused(stub: Stub, remote: RemoteEmbedder, answer: Answer) -> None:
    stub.answer = lambda request: answer
    with pytest.raises(EmbedError):
        remote.embed(["x"])


def test_another_dimension_than_before_is_refused(stub: Stub, remote: RemoteEmbedder) -> None:
    remote.embed(["x"])
    stub.answer = changed(lambda reply: reply["data"][0].update(embedding=[1.0, 2.0]))
    with pytest.raises(EmbedError, match="from 3 to 2"):
        remote.embed(["x"])


@pytest.mark.parametrize(
    ("status", "advice", "requests"),
    [(401, "api_key", 1), (403, "api_key", 1), (404, "embed.model", 1), (429, "quota", 2), (500, "500", 2)],
)
def test_a_refusal_tells_status_and_next_step(
    stub: Stub, remote: RemoteEmbedder, status: int, advice: str, requests: int
) -> None:
    stub.answer = lambda request: refusal(status)
    with pytest.raises(EmbedError, match=str(status)) as caught:
        remote.embed([PRIVATE])
    assert advice in str(caught.value)
    assert len(stub.requests) == requests


@pytest.mark.parametrize("status", [400, 401, 404, 413, 429, 500])
def test_neither_key_nor_content_is_in_errors_or_logs(
    stub: Stub, remote: RemoteEmbedder, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    stub.answer = lambda request: refusal(status)
    with caplog.at_level(logging.DEBUG), pytest.raises(EmbedError) as caught:
        remote.embed([PRIVATE])
    told = str(caught.value) + caplog.text
    assert SECRET not in told
    assert PRIVATE not in told
    assert caught.value.__suppress_context__


def test_a_server_with_a_small_window_gets_shorter_texts_from_then_on(stub: Stub, remote: RemoteEmbedder) -> None:
    stub.answer = lambda request: (
        refusal(400) if any(len(text) > 2000 for text in request["input"]) else Answer(vectors(request))
    )
    remote.embed(["x" * 5000, "short"])
    remote.embed(["y" * 5000])
    assert [len(request["input"][0]) for request in stub.requests] == [5000, BYTE_LIMITS[1], BYTE_LIMITS[1]]


@pytest.mark.parametrize("answer", [Answer({}, dripping=True), refusal(429, **{"retry-after-ms": "60000"})])
def test_the_deadline_holds_against_dripping_and_absurd_waits(stub: Stub, answer: Answer) -> None:
    stub.answer = lambda request: answer
    impatient = RemoteEmbedder("some-model", SECRET, stub.url, deadline=0.3)
    with pytest.raises(EmbedError, match=r"within 0\.3 s"):
        impatient.embed(["x"])
    stub.answer = lambda request: Answer(vectors(request))
    assert impatient.embed(["x"]).shape == (1, 3)


def test_an_unreachable_server_is_named(stub: Stub) -> None:
    nowhere = RemoteEmbedder("some-model", SECRET, "http://127.0.0.1:9/v1", deadline=5)
    with pytest.raises(EmbedError, match=r"127\.0\.0\.1:9"):
        nowhere.embed(["x"])


@given(st.text(st.characters()), st.sampled_from(BYTE_LIMITS))
def test_what_is_sent_is_never_empty_and_within_the_limit(text: str, limit: int) -> None:
    sent = cut(text, limit)
    assert sent.strip()
    assert len(sent.encode()) <= limit


def test_a_megabyte_is_cut(stub: Stub, remote: RemoteEmbedder) -> None:
    remote.embed(["🎉" * 300_000])
    assert len(stub.requests[0]["input"][0].encode()) == BYTE_LIMITS[0]
