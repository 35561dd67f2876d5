"""Settings: command line > MCP_MEMORY_* environment > TOML file > defaults.

Nested keys are sections in the file ([llm] model = …) and double underscores in the environment
(MCP_MEMORY_LLM__MODEL).  Keys for language models also come from the providers' own variables, but only
through these settings: no SDK reads the environment by itself.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from mcp_memory.errors import SettingsError

ENV_PREFIX = "MCP_MEMORY_"
APP = "mcp-memory"
_STANDARD_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StoreSettings(_Section):
    """Where the LanceDB tables live."""

    uri: str = Field("", description='"" is the data folder; s3://… or db://… where one machine is not enough')
    lock_timeout: float = Field(10.0, gt=0, description="seconds to wait for another process before saying so")


class EmbedSettings(_Section):
    """What turns text into vectors."""

    provider: Literal["bundled", "flag", "openai", "none"] = Field(
        "bundled", description="bundled needs nothing; none is search by words only"
    )
    model: str = Field("", description='model name or local path for flag and openai; "" is the provider\'s default')
    onnx_path: str = Field("", description="another all-MiniLM-L6-v2 ONNX file for the bundled provider")
    base_url: str = Field("", description='embeddings endpoint for openai; "" is the official one')
    api_key: SecretStr = Field(SecretStr(""), description='"" takes OPENAI_API_KEY, unless base_url is set')
    threads: int = Field(1, ge=1, description="threads of the bundled model")


class LlmSettings(_Section):
    """The language model that writes scenes, cues, summaries and personas in the background."""

    provider: Literal["none", "anthropic", "openai"] = Field("none", description="none: rules and the caller's notes")
    model: str = Field("", description='"" is claude-haiku-5-5 or gpt-6-luna')
    base_url: str = Field("", description="any OpenAI-compatible or Anthropic-compatible server")
    api_key: SecretStr = Field(
        SecretStr(""), description='"" takes ANTHROPIC_API_KEY or OPENAI_API_KEY, unless base_url is set'
    )
    deadline: float = Field(120.0, gt=0, description="seconds for one background call, in all")
    concurrency: int = Field(2, ge=1, description="calls at the same time")
    calls_per_day: int = Field(500, ge=0, description="0 is none")
    tokens_per_day: int = Field(2_000_000, ge=0, description="input and output together")


class RecallSettings(_Section):
    """How memories are found and fitted."""

    planner: Literal["rules", "llm"] = Field("rules", description="who judges how hard a question is")
    gate: Literal["score", "rerank", "llm"] = Field("score", description="who drops what does not help")
    reranker: str = Field("", description='FlagEmbedding reranker for gate = "rerank"; name or local path')
    reserved: int = Field(3, ge=0, le=10, description="lines kept for memories that only a cue evoked")
    deadline: float = Field(2.0, gt=0, description="seconds an LLM planner or gate may take before rules go on")


class Settings(BaseSettings):
    """All there is to set."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, env_ignore_empty=True
    )
    _file: ClassVar[Mapping[str, Any]] = {}

    data_dir: Path = Field(
        default_factory=lambda: user_data_path(APP, appauthor=False),
        description="the data folder; by default the platform's own place",
    )
    owner: str = Field("user", min_length=1, max_length=100, description="whose memory this is; names the user's lines")
    time_zone: str = Field("", description='IANA name for days and weeks; "" is the machine\'s zone at first start')
    redact: bool = Field(True, description="replace keys, tokens, passwords and card numbers before anything is stored")
    prompts_dir: str = Field("", description="a folder whose *.md override the prompts of the same name")
    log_level: Literal["debug", "info", "warning", "error"] = Field("warning", description="to stderr")
    store: StoreSettings = StoreSettings()
    embed: EmbedSettings = EmbedSettings()
    llm: LlmSettings = LlmSettings()
    recall: RecallSettings = RecallSettings()

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        if name:
            try:
                ZoneInfo(name)
            except (KeyError, ValueError, OSError):
                raise ValueError("not an IANA time zone such as Europe/Berlin") from None
        return name

    @field_validator("data_dir", mode="before")
    @classmethod
    def _named(cls, path: Any) -> Any:
        if isinstance(path, str) and not path.strip():  # for Path it would be the current folder
            raise ValueError("must not be empty; leave it out for the default place")
        return path

    @field_validator("data_dir")
    @classmethod
    def _whole(cls, path: Path) -> Path:
        try:
            return path.expanduser()
        except RuntimeError:
            raise ValueError("begins with the home of a user who is not known here") from None

    @field_validator("owner")
    @classmethod
    def _one_line(cls, name: str) -> str:
        if not name.strip().isprintable() or not name.strip():
            raise ValueError("must be one printable line")
        return name.strip()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic's signature; .env files are not read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Command line (init), environment, then the file that `load` read."""
        return init_settings, env_settings, _FileSource(settings_cls, cls._file)

    def zone_name(self) -> str:
        """The time zone's name; the machine's where none is set."""
        import tzlocal

        return self.time_zone or tzlocal.get_localzone_name() or "UTC"

    def llm_key(self) -> SecretStr:
        """The key for the configured provider; "" when there is none.

        A server named by `base_url` never gets a key that was meant for another.
        """
        if self.llm.api_key.get_secret_value() or self.llm.base_url:
            return self.llm.api_key
        return SecretStr(os.environ.get(_STANDARD_KEYS.get(self.llm.provider, ""), ""))

    def embed_key(self) -> SecretStr:
        """The key for an embeddings endpoint; "" when there is none.  As for `llm_key`, each server gets its own."""
        if self.embed.api_key.get_secret_value() or self.embed.base_url:
            return self.embed.api_key
        if self.llm.provider == "openai" and self.llm.api_key.get_secret_value() and not self.llm.base_url:
            return self.llm.api_key
        return SecretStr(os.environ.get(_STANDARD_KEYS["openai"], ""))


class _FileSource(PydanticBaseSettingsSource):
    """The parsed TOML file as the weakest source before the defaults."""

    def __init__(self, settings_cls: type[BaseSettings], values: Mapping[str, Any]) -> None:
        super().__init__(settings_cls)
        self._values = dict(values)

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002 - abstract's signature
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return self._values


def default_config_path() -> Path:
    """Where a configuration file is looked for when none is named."""
    return user_config_path(APP, appauthor=False) / "config.toml"


def load(config: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings in force.

    `overrides` come from the command line, nested as in the file.  Raises SettingsError naming the key
    for unknown keys, wrong values, an unreadable or missing named file.
    """
    _refuse_unknown_environment()
    values = _read(config)
    bound = type("Settings", (Settings,), {"_file": values, "__doc__": Settings.__doc__})
    try:
        settings: Settings = bound(**dict(overrides or {}))
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None
    return settings


def _read(config: Path | None) -> Mapping[str, Any]:
    path = config or default_config_path()
    if config is None and not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None


def _refuse_unknown_environment() -> None:
    """pydantic-settings ignores unknown variables of the prefix; a typo must not."""
    known = {name.upper(): field for name, field in Settings.model_fields.items()}
    for variable in os.environ:
        if not variable.upper().startswith(ENV_PREFIX):
            continue
        head, _, tail = variable.upper().removeprefix(ENV_PREFIX).partition("__")
        section = known[head].annotation if head in known else None
        nested = section.model_fields if isinstance(section, type) and issubclass(section, BaseModel) else {}
        if head not in known or (tail and tail.lower() not in nested):
            raise SettingsError(f"{variable}: no such setting; see config.example.toml for all of them")


def _explain(error: ValidationError) -> str:
    """One line per problem, naming keys, never values (a value may be a key)."""
    lines = []
    for problem in error.errors(include_input=False, include_url=False):
        key = ".".join(str(part) for part in problem["loc"])
        unknown = problem["type"] == "extra_forbidden"
        said = "no such setting" if unknown else problem["msg"].removeprefix("Value error, ")
        lines.append(f"{key}: {said}")
    return "; ".join(lines) + " (config.example.toml lists every key)"
