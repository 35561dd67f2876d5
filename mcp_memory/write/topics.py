"""Topics: threads that run through scenes of many sessions (T-Mem §3.1).

A scene keeps the topics it was given; a new one joins the threads it resembles in meaning, more easily where
they share a key phrase, or opens its own.  A topic's record is the sum of its scenes, so forgetting a scene
takes its words away too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from mcp_memory.model.ids import is_id, make_id
from mcp_memory.model.unit import Unit
from mcp_memory.text.lexical import term_set

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

VectorOf = Callable[[Unit], "Vector | None"]
BackgroundOf = Callable[[datetime], "Vector"]
"""The mean of all that was said up to a moment: what any two scenes of one owner have in common."""

# Cosines of centred vectors.  Chosen on three LoCoMo conversations against the topics a strong model gave their
# scenes: pairwise F1 of sharing one .44 (all in one topic .33); 9 to 21 topics for 48 to 83 scenes.
SAME: Final = 0.4  # from here a scene belongs to a thread
SIMILAR: Final = 0.3  # the same, when they also share a key phrase
MOST_TOPICS: Final = 2  # that a scene joins


def assign(
    scenes: Sequence[Unit], known: Mapping[str, Unit], vector_of: VectorOf, background_of: BackgroundOf
) -> list[Unit]:
    """Scenes in time order with `topics` resolved to ids; `known` are all scenes that have theirs already.

    Only what came before a scene decides, so that deriving everything again in order gives the same; a scene
    that another scribe has written anew is another scene.
    """
    settled = {one.id: one for one in known.values() if one.detail.get("topics")}
    titles = {topic: title for scene in settled.values() for topic, title in _titled(scene)}
    threads: Threads | None = None
    done: list[Unit] = []
    for scene in sorted(scenes, key=lambda one: (one.start, one.id)):
        wanted = scene.detail.get("topics", ())
        if wanted:
            pairs = [_named(scene.owner, topic, titles) for topic in wanted]
        elif scene.id in settled and settled[scene.id].source == scene.source:
            pairs = _titled(settled[scene.id])
        else:
            threads = threads or Threads(settled.values(), vector_of)
            matched = threads.matching(scene, background_of)
            pairs = [(topic, titles[topic]) for topic in matched] or [_named(scene.owner, scene.title, titles)]
        titles |= dict(pairs)
        fixed = _with_topics(scene, [pair for pair in pairs if pair[1]])
        if threads and scene.id not in settled:
            threads.add(fixed)
        settled[scene.id] = fixed
        done.append(fixed)
    return done


def _titled(scene: Unit) -> list[tuple[str, str]]:
    return list(zip(scene.detail["topics"], scene.detail.get("titles", ()), strict=False))


def _named(owner: str, topic: str, titles: Mapping[str, str]) -> tuple[str, str]:
    if is_id(topic) and topic in titles:
        return topic, titles[topic]
    identifier = make_id("topic", owner, " ".join(topic.casefold().split()))
    return identifier, titles.get(identifier, topic)


def _with_topics(scene: Unit, pairs: Sequence[tuple[str, str]]) -> Unit:
    unique = dict(pairs)
    return replace(scene, detail={**scene.detail, "topics": list(unique), "titles": list(unique.values())})


def topic_units(scenes: Sequence[Unit]) -> list[Unit]:
    """One record per topic: its title, the span of its scenes, and their key phrases in order of appearance."""
    grouped: dict[str, list[Unit]] = {}
    titles: dict[str, str] = {}
    for scene in sorted(scenes, key=lambda one: (one.start, one.id)):
        for topic, title in _titled(scene) if scene.detail.get("topics") else ():
            grouped.setdefault(topic, []).append(scene)
            titles.setdefault(topic, title)
    return [_topic(topic, titles[topic], members) for topic, members in grouped.items()]


def _topic(identifier: str, title: str, scenes: Sequence[Unit]) -> Unit:
    keywords = list(dict.fromkeys(word for scene in scenes for word in scene.detail.get("keywords", ())))
    detail: dict[str, Any] = {"keywords": keywords, "scenes": len(scenes)}
    return Unit(
        id=identifier,
        owner=scenes[0].owner,
        kind="topic",
        start=scenes[0].start,
        end=max(scene.end for scene in scenes),
        text=", ".join(dict.fromkeys([*(scene.title for scene in scenes), *keywords])),
        title=title,
        source=scenes[0].source,
        detail=detail,
    )


def _terms(scene: Unit) -> set[str]:
    return {term for phrase in scene.detail.get("keywords", ()) for term in term_set(phrase)}


class Threads:
    """Topics as the sums of their scenes' vectors, with the words they share."""

    def __init__(self, scenes: Iterable[Unit], vector_of: VectorOf) -> None:
        self._vector_of = vector_of
        self._row: dict[str, int] = {}
        self._terms: list[set[str]] = []
        self._sums: NDArray[np.float64] | None = None  # shape (room, dimension); rows in use are those of `_row`
        self._counts: list[int] = []
        for scene in sorted(scenes, key=lambda one: (one.start, one.id)):
            self.add(scene)

    def add(self, scene: Unit) -> None:
        """Lets a scene take part in its topics."""
        vector = self._vector_of(scene)
        if vector is None:
            return
        for topic in scene.detail["topics"]:
            sums, row = self._place(topic, len(vector))
            sums[row] += vector
            self._counts[row] += 1
            self._terms[row] |= _terms(scene)

    def _place(self, topic: str, dimension: int) -> "tuple[NDArray[np.float64], int]":
        import numpy as np

        row = self._row.setdefault(topic, len(self._row))
        if row == len(self._terms):
            self._terms.append(set())
            self._counts.append(0)
        if self._sums is None:
            self._sums = np.zeros((64, dimension))
        elif row == len(self._sums):
            self._sums = np.vstack([self._sums, np.zeros_like(self._sums)])
        return self._sums, row

    def matching(self, scene: Unit, background_of: BackgroundOf) -> list[str]:
        """The topics a scene belongs to, the most similar first."""
        vector = self._vector_of(scene)
        if vector is None or self._sums is None:
            return []
        background = background_of(scene.end)
        cosines = self._cosines(vector - background, background)
        terms, topics = _terms(scene), list(self._row)
        likely = [int(row) for row in (-cosines).argsort(kind="stable") if cosines[row] >= SIMILAR]
        fitting = [row for row in likely if cosines[row] >= SAME or terms & self._terms[row]]
        return [topics[row] for row in fitting[:MOST_TOPICS]]

    def _cosines(self, vector: "Vector", background: "Vector") -> "NDArray[np.float64]":
        import numpy as np

        assert self._sums is not None
        counts = np.array(self._counts)
        centred = self._sums[: len(counts)] / counts[:, None] - background
        lengths = np.linalg.norm(centred, axis=1) * np.linalg.norm(vector)
        cosines: NDArray[np.float64] = centred @ vector / np.maximum(lengths, 1e-9)
        return cosines
