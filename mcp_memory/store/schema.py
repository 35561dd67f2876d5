"""The columns of the three tables."""

import pyarrow as pa

_MOMENT = pa.timestamp("us", tz="UTC")

TURNS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("owner", pa.string()),
        pa.field("session", pa.string()),
        pa.field("exchange", pa.string()),
        pa.field("position", pa.int32()),
        pa.field("at", _MOMENT),
        pa.field("speaker", pa.string()),
        pa.field("role", pa.string()),
        pa.field("text", pa.string()),
        pa.field("topic", pa.string()),
        pa.field("notes", pa.string()),
        pa.field("ref", pa.string()),
        pa.field("checksum", pa.string()),
        pa.field("rev", pa.int64()),
    ]
)

REPLIES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("owner", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("start", _MOMENT),
        pa.field("end", _MOMENT),
        pa.field("turns", pa.list_(pa.string())),
        pa.field("body", pa.string()),
        pa.field("prompt", pa.string()),
        pa.field("model", pa.string()),
        pa.field("input_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("rev", pa.int64()),
    ]
)


def units(dimension: int) -> pa.Schema:
    """The columns of `units` for vectors of `dimension`.

    The vector is nullable and not called "vector": a unit may wait for its embedding, and LanceDB refuses
    nulls in a column of that name.
    """
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("owner", pa.string()),
            pa.field("kind", pa.string()),
            pa.field("family", pa.string()),
            pa.field("view", pa.string()),
            pa.field("start", _MOMENT),
            pa.field("end", _MOMENT),
            pa.field("title", pa.string()),
            pa.field("text", pa.string()),
            pa.field("speaker", pa.string()),
            pa.field("parent", pa.string()),
            pa.field("window", pa.string()),
            pa.field("turns", pa.list_(pa.string())),
            pa.field("source", pa.string()),
            pa.field("status", pa.string()),
            pa.field("detail", pa.string()),
            pa.field("rev", pa.int64()),
            pa.field("emb", pa.list_(pa.float32(), dimension)),
        ]
    )
