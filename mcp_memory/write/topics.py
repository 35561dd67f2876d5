"""Topics: threads that run through scenes of many sessions (T-Mem §3.1).

A scene keeps the topics it was given; a new one is matched from a shortlist by meaning and key phrases, or
opens its own.  A topic's record is the sum of its scenes, so forgetting a scene takes its words away too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mcp_memory.model.ids import is_id, make_id
from mcp_memory.model.unit import Unit
from mcp_memory.text.lexical import analyze

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VectorOf = Callable[[Unit], "NDArray[np.float32] | None"]

SAME: Final = 0.6  # cosine from which two scenes are about one thing
SIMILAR: Final = 0.45  # the same, when they also share a key phrase


def assign(scenes: Sequence[Unit], known: Mapping[str, Unit], vector_of: VectorOf) -> list[Unit]:
    """Scenes in time order with `topics` resolved to ids; `known` are all scenes that have theirs already."""
    settled = {one.id: one for one in known.values() if one.detail.get("topics")}
    titles = {topic: title for scene in settled.values() for topic, title in _titled(scene)}
    done: list[Unit] = []
    for scene in sorted(scenes, key=lambda one: (one.start, one.id)):
        wanted = scene.detail.get("topics", ())
        if wanted:
            pairs = [_named(scene.owner, topic, titles) for topic in wanted]
        elif scene.id in settled:
            pairs = _titled(settled[scene.id])
        else:
            pairs = [_matched(scene, list(settled.values()), vector_of)]
        titles |= dict(pairs)
        fixed = _with_topics(scene, [pair for pair in pairs if pair[1]])
        settled[scene.id] = fixed
        done.append(fixed)
    return done


def _titled(scene: Unit) -> list[tuple[str, str]]:
    return list(zip(scene.detail["topics"], scene.detail.get("titles", ()), strict=False))


def _named(owner: str, topic: str, titles: Mapping[str, str]) -> tuple[str, str]:
    if is_id(topic) and topic in titles:
        return topic, titles[topic]
    return make_id("topic", owner, " ".join(topic.casefold().split())), topic


def _with_topics(scene: Unit, pairs: Sequence[tuple[str, str]]) -> Unit:
    unique = dict(pairs)
    return replace(scene, detail={**scene.detail, "topics": list(unique), "titles": list(unique.values())})


def _matched(scene: Unit, settled: Sequence[Unit], vector_of: VectorOf) -> tuple[str, str]:
    """The topic of the most similar earlier scene, or a new one named by the scene's own title."""
    best, most = None, 0.0
    vector, terms = vector_of(scene), _terms(scene)
    for other in settled:
        theirs = vector_of(other)
        if vector is None or theirs is None or not other.detail["topics"]:
            continue
        cosine = float(vector @ theirs)
        if cosine > most and cosine >= (SIMILAR if terms & _terms(other) else SAME):
            best, most = other, cosine
    if best is not None:
        return _titled(best)[0]
    return _named(scene.owner, scene.title, {})


def _terms(scene: Unit) -> set[str]:
    return {term for phrase in scene.detail.get("keywords", ()) for term in analyze(phrase)}


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
        text=", ".join(keywords),
        title=title,
        source=scenes[0].source,
        detail=detail,
    )
