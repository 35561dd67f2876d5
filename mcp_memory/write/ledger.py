"""What is derived now against what is stored: the difference is all that is ever written."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from mcp_memory.model.unit import Unit


class Ledger:
    """The units of one owner as they will be, and the change that makes them so."""

    def __init__(self, stored: Mapping[str, Unit]) -> None:
        self._stored = stored
        self._windows: dict[str, set[str]] = defaultdict(set)
        self._kinds: dict[str, dict[str, Unit]] = defaultdict(dict)
        for unit in stored.values():
            self._windows[unit.window].add(unit.id)
            self._kinds[unit.kind][unit.id] = unit
        self._upserts: dict[str, Unit] = {}
        self._removed: set[str] = set()

    @property
    def upserts(self) -> list[Unit]:
        """Units to write."""
        return list(self._upserts.values())

    @property
    def removed(self) -> list[str]:
        """Ids to take away."""
        return sorted(self._removed)

    def settle(self, window: str, derived: Iterable[Unit]) -> None:
        """`derived` is all there is of `window` from now on."""
        before = self._windows[window]
        wanted = {unit.id: unit for unit in derived}
        for one in before - wanted.keys():
            self._removed.add(one)
            self._upserts.pop(one, None)
            for kind in self._kinds.values():
                kind.pop(one, None)
        for one, unit in wanted.items():
            self._removed.discard(one)
            self._kinds[unit.kind][one] = unit
            if self._stored.get(one) != unit:
                self._upserts[one] = unit
        self._windows[window] = set(wanted)

    def of_kind(self, kind: str) -> list[Unit]:
        """All units of a kind as they will be, by time."""
        return sorted(self._kinds[kind].values(), key=lambda one: (one.start, one.id))
