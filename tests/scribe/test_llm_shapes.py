"""The reply shapes stay in the subset that both providers' structured outputs take as it is."""

import copy
import json
from typing import Any

import pytest
from pydantic import BaseModel

from mcp_memory.llm.judging import AnswerReply, JudgeReply
from mcp_memory.llm.planning import GateReply, PlanReply
from mcp_memory.llm.probe import ProbeReply
from mcp_memory.model.unit import HORIZON_VIEWS, SCENE_VIEWS
from mcp_memory.scribe.notes import BatchReply, PeriodReply, SceneReply, SessionReply

SHAPES = [BatchReply, SessionReply, PeriodReply, PlanReply, GateReply, ProbeReply, AnswerReply, JudgeReply]
FORBIDDEN = {
    "default",
    "anyOf",
    "oneOf",
    "allOf",
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "minimum",
    "maximum",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_both_sdks_leave_the_schema_as_it_is(shape: type[BaseModel]) -> None:
    from anthropic import transform_schema
    from openai.lib._pydantic import to_strict_json_schema

    plain = shape.model_json_schema()
    assert json.dumps(to_strict_json_schema(shape), sort_keys=True) == json.dumps(plain, sort_keys=True)
    assert json.dumps(transform_schema(copy.deepcopy(plain)), sort_keys=True) == json.dumps(plain, sort_keys=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_field_is_required_and_nothing_else_is_taken(shape: type[BaseModel]) -> None:
    schema = shape.model_json_schema()
    for part in [schema, *schema.get("$defs", {}).values()]:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
        assert not FORBIDDEN & {key for field in part["properties"].values() for key in field}


@pytest.mark.parametrize("shape", SHAPES)
def test_replies_are_at_most_three_levels_deep(shape: type[BaseModel]) -> None:
    schema = shape.model_json_schema()

    def depth(part: dict[str, Any]) -> int:
        if "$ref" in part:
            part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
        if part["type"] == "array":
            return depth(part["items"])
        return 1 + max(map(depth, part["properties"].values())) if part["type"] == "object" else 1

    assert depth(schema) <= 3


def test_a_scene_has_every_view_of_both_families() -> None:
    assert {*SCENE_VIEWS, *HORIZON_VIEWS} - {"utterance"} <= set(SceneReply.model_fields)
