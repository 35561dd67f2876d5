"""The bundled model's tables, read row by row.

The file stores the table of its 30,522 words as int8 with a scale for each, and scales all of them for every text
(Cast, Mul, Gather); onnxruntime does so once, and keeps 47 MB of floats of which a text needs some dozens of rows.
With the rows gathered first (Gather, Gather, Cast, Mul) the vectors are the same to the bit, and a server is 35 MB
smaller.  Of the file's format this needs protobuf's wire encoding and five field numbers of onnx.proto.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_GRAPH: Final = 7  # of ModelProto
_NODE: Final = 1  # of GraphProto
_INPUT: Final = 1  # of NodeProto
_OUTPUT: Final = 2
_LABEL: Final = 3  # must not come twice, need not come at all
_OPERATOR: Final = 4
_VARINT: Final = 0  # wire types; models and graphs have no others
_BYTES: Final = 2


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a message: its number, what it holds (nothing if that is a number), and all its bytes."""

    number: int
    held: memoryview
    whole: memoryview


@dataclass(slots=True)
class _Node:
    operator: bytes = b""
    inputs: list[bytes] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)

    def between(self, inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
        """The node as a field of a graph, reading and making other values."""
        names = [_packed(_INPUT, one) for one in inputs] + [_packed(_OUTPUT, one) for one in outputs]
        return _packed(_NODE, b"".join((*names, _packed(_OPERATOR, self.operator), *self.rest)))


def gathered_first(model: bytes) -> bytes:
    """An ONNX model that scales rows after it gathered them, where it gathered from a scaled table.

    Only for models known to scale by row: the file is not asked.  Raises ValueError, IndexError for other files.
    """
    parts = _fields(memoryview(model))
    return b"".join(_packed(_GRAPH, _rewired(one.held)) if one.number == _GRAPH else one.whole for one in parts)


def _rewired(graph: memoryview) -> bytes:
    parts = list(_fields(graph))
    nodes = {number: _node(one.held) for number, one in enumerate(parts) if one.number == _NODE}
    makes = {name: number for number, node in nodes.items() for name in node.outputs}
    changed: dict[int, bytes] = {}
    for number, gather in nodes.items():
        scale = makes.get(gather.inputs[0]) if gather.operator == b"Gather" else None
        if scale is not None and nodes[scale].operator == b"Mul":
            cast = makes[nodes[scale].inputs[0]]
            changed |= {cast: b"", scale: b"", number: _by_row(gather, nodes[cast], nodes[scale])}
    return b"".join(changed.get(number, one.whole) for number, one in enumerate(parts))


def _by_row(gather: _Node, cast: _Node, scale: _Node) -> bytes:
    table, (whole, factors), which = cast.inputs[0], scale.inputs, gather.inputs[1]
    rows, scales = table + b".rows", factors + b".rows"
    return b"".join(
        (
            gather.between([table, which], [rows]),
            gather.between([factors, which], [scales]),
            cast.between([rows], [whole]),
            scale.between([whole, scales], gather.outputs),
        )
    )


def _node(message: memoryview) -> _Node:
    node = _Node()
    for one in _fields(message):
        if one.number == _INPUT:
            node.inputs.append(bytes(one.held))
        elif one.number == _OUTPUT:
            node.outputs.append(bytes(one.held))
        elif one.number == _OPERATOR:
            node.operator = bytes(one.held)
        elif one.number != _LABEL:
            node.rest.append(bytes(one.whole))
    return node


def _fields(message: memoryview) -> Iterator[_Field]:
    place = 0
    while place < len(message):
        tag, begin = _number(message, place)
        value, end = _number(message, begin)  # a length, or the number itself
        if tag & 7 not in (_VARINT, _BYTES) or (tag & 7 == _BYTES and end + value > len(message)):
            raise ValueError(tag)
        begin, end = (end, end + value) if tag & 7 == _BYTES else (end, end)
        yield _Field(tag >> 3, message[begin:end], message[place:end])
        place = end


def _number(message: memoryview, place: int) -> tuple[int, int]:
    """A varint, and where the next thing begins."""
    value = shift = 0
    while (byte := message[place]) >= 0x80:
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
    return value | byte << shift, place + 1


def _packed(number: int, held: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(held)) + held


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))
