"""A stub server that speaks both providers' wire formats, badly where a test wants it to."""

import json
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Literal

import pytest

from mcp_memory.errors import ChatError
from mcp_memory.llm.anthropic_wire import AnthropicWire
from mcp_memory.llm.openai_wire import OpenAIWire
from mcp_memory.llm.structured import StructuredChat
from mcp_memory.ports import ChatReply, ChatRequest
from mcp_memory.prompts import Prompts

SECRET = "zanzibar-4711"  # in every prompt, reply, error body and key; in no log and no exception
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["word", "n"],
    "additionalProperties": False,
}
GOOD = json.dumps({"word": SECRET, "n": 1})
Provider = Literal["anthropic", "openai"]


@dataclass(frozen=True)
class Answer:
    """One HTTP answer; `pace` "stall" never begins it, "drip" never ends it."""

    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    pace: Literal["", "stall", "drip"] = ""


@dataclass
class Stub:
    """The server's script and what it saw; the last answer repeats."""

    url: str
    answers: list[Answer] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    hung_up: Event = field(default_factory=Event)
    closing: Event = field(default_factory=Event)

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            stub.bodies.append(json.loads(body))
            stub.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = stub.next()
            if answer.pace == "stall":
                self._wait_for_hang_up()
                return
            self.send_response(answer.status)
            self.send_header("content-type", answer.content_type)
            data = answer.body.encode()
            self.send_header("content-length", str(len(data) + (10**6 if answer.pace else 0)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
            if answer.pace == "drip":
                self._wait_for_hang_up(b" ")

        def _wait_for_hang_up(self, drip: bytes = b"") -> None:
            self.connection.settimeout(0.02)
            while not stub.closing.is_set():
                try:
                    self.wfile.write(drip)
                    if not self.connection.recv(1):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            stub.hung_up.set()
            self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads = True
    state = Stub(f"http://127.0.0.1:{server.server_address[1]}")
    server.RequestHandlerClass = _handler(state)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    state.closing.set()
    server.shutdown()
    server.server_close()
    thread.join()


class Lab:
    """One provider's chat against the stub, the waits it would have made, and that provider's way of answering."""

    secret = SECRET
    good = GOOD
    schema = SCHEMA
    Answer = Answer

    def __init__(self, provider: Provider, stub: Stub) -> None:
        self.provider = provider
        self.stub = stub
        self.waits: list[float] = []
        self.cut = "max_tokens" if provider == "anthropic" else "length"
        self.refusal = "refusal" if provider == "anthropic" else "content_filter"
        wire = self.wire(f"key-{SECRET}")
        self.chat = StructuredChat(wire, Prompts(), self._sleep)

    def wire(self, key: str) -> AnthropicWire | OpenAIWire:
        if self.provider == "anthropic":
            return AnthropicWire(key, base_url=self.stub.url)
        return OpenAIWire(key, base_url=f"{self.stub.url}/v1")

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def answers(self, *answers: Answer) -> None:
        self.stub.answers = list(answers)

    def ask(self, deadline: float = 20.0, max_tokens: int = 1000) -> ChatReply:
        request = ChatRequest("test", f"system {SECRET}", f"user {SECRET}", SCHEMA, max_tokens, deadline)
        return self.chat.complete(request)

    def error(self, deadline: float = 20.0) -> ChatError:
        """The error `ask` ends in, after a look that it tells nothing."""
        with pytest.raises(ChatError) as caught:
            self.ask(deadline)
        error = caught.value
        shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
        assert SECRET not in shown
        assert error.__context__ is None or SECRET not in repr(error.__context__)
        return error

    def said(self, text: str, stop: str = "", **message: Any) -> Answer:
        """A well-formed reply; `stop` is the provider's word, "" the normal one."""
        if self.provider == "anthropic":
            blocks = [{"type": "text", "text": text}]
            usage = {"input_tokens": 10, "output_tokens": 5}
            return _json(type="message", content=blocks, stop_reason=stop or "end_turn", usage=usage)
        choice = {"finish_reason": stop or "stop", "message": {"role": "assistant", "content": text} | message}
        return _json(choices=[choice], usage={"prompt_tokens": 10, "completion_tokens": 5})

    def failed(self, status: int, message: str = "no", code: str = "", **headers: str) -> Answer:
        """An error answer in the provider's words, which echo what was sent, as some servers do."""
        error = {"type": code or "error", "message": f"{message} ({SECRET})"} | ({"code": code} if code else {})
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Answer(json.dumps({"type": "error", "error": error}), status, named)


def _json(**body: Any) -> Answer:
    return Answer(json.dumps({"id": "x", "model": "m"} | body))


@pytest.fixture(params=["anthropic", "openai"])
def lab(request: pytest.FixtureRequest, stub: Stub) -> Iterator[Lab]:
    lab = Lab(request.param, stub)
    yield lab
    lab.chat.close()


@pytest.fixture(autouse=True, scope="session")
def no_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Everything here is plain HTTP: loading the system's certificates would be most of the tests' time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.fixture(autouse=True)
def nothing_is_told(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No test of this folder may log what was sent, said or used as a key."""
    caplog.set_level("DEBUG")
    yield
    assert SECRET not in caplog.text
