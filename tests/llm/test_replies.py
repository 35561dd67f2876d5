import json

from hypothesis import example, given
from hypothesis import strategies as st

from mcp_memory.llm.faults import classify
from mcp_memory.llm.replies import parse, violations
from mcp_memory.scribe.notes import BatchReply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.text())
def test_any_text_is_parsed_or_not_but_never_raises(text: str) -> None:
    assert parse(text) is None or isinstance(parse(text), dict)


@example({"</think>": None}, "so:\n```json\n{}\n```\n")
@given(st.dictionaries(st.text(), JSON), st.sampled_from(["{}", "so:\n```json\n{}\n```\n", "<think>hm</think>{}"]))
def test_an_object_is_found_in_whatever_wraps_it(value: dict[str, object], around: str) -> None:
    wrapped = around.replace("{}", json.dumps(value))
    assert parse(wrapped) == value


@given(st.dictionaries(st.sampled_from(["scenes", "items", "memories", "secret-4711"]), JSON))
def test_violations_never_quote_the_reply(value: dict[str, object]) -> None:
    assert "secret-4711" not in " ".join(violations(value, BatchReply.model_json_schema()))


def test_a_megabyte_of_braces_is_given_up_quickly() -> None:
    assert parse("{" * 1_000_000) is None
    assert parse("<think>" * 100_000) is None
    assert parse('{"a":' * 100_000) is None


@given(st.integers(400, 599), st.text(), st.dictionaries(st.sampled_from(["retry-after", "request-id"]), st.text()))
def test_any_error_answer_has_a_meaning_and_quotes_nothing_of_its_body(
    status: int, body: str, headers: dict[str, str]
) -> None:
    fault = classify(status, body + "secret 4711", headers)
    assert fault.reason
    assert "secret 4711" not in fault.reason
