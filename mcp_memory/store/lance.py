"""One LanceDB table with the manners this program needs: keyed upserts, safe filters, retries on the
library's untyped conflicts, bounded upkeep, and erasure that leaves no bytes behind."""

import logging
import os
import random
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import lancedb
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.expr import Expr, col, lit

from mcp_memory.errors import StoreDamagedError, StoreError
from mcp_memory.model.ids import is_id

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

_RETRIES: Final = 8
_CONFLICTS: Final = ("commit conflict", "retryable", "too many concurrent", "concurrent")
_FULL: Final = ("no space left", "quota exceeded", "storagefull")
_KEEP_VERSIONS: Final = timedelta(seconds=10)  # a reader of a pruned version reads again
_CACHE_BYTES: Final = 8 << 20


def connect(uri: str) -> Any:
    """A connection that sees other processes' commits at once, with small caches.

    The library's own defaults are 7 GiB of caches, far beyond a laptop's memory server.
    """
    session = lancedb.Session(index_cache_size_bytes=_CACHE_BYTES, metadata_cache_size_bytes=_CACHE_BYTES)
    return lancedb.connect(uri, read_consistency_interval=timedelta(0), session=session)


def table_names(connection: Callable[[], Any]) -> list[str]:
    """The tables that are there."""
    listed = _guard(lambda: connection().list_tables(), "list")
    return list(getattr(listed, "tables", listed))


def equals(**values: Any) -> Expr:
    """The filter column == value for all given columns."""
    parts = [col(name) == lit(value) for name, value in values.items()]
    return all_of(parts)


def all_of(parts: Sequence[Expr]) -> Expr:
    """The conjunction of filters."""
    joined = parts[0]
    for part in parts[1:]:
        joined = joined.and_(part)
    return joined


class Table:
    """A table by name: reading never creates it, writing does; reopened when it was replaced."""

    def __init__(self, connection: Callable[[], Any], name: str, schema: pa.Schema, folder: Path | None = None) -> None:
        """`folder` holds the tables when they are files of this machine."""
        self._connection, self.name, self.schema = connection, name, schema
        self.folder = folder / f"{name}.lance" if folder else None
        self._table: Any = None

    def _open(self) -> Any:
        if self._table is None:
            self._table = _guard(lambda: self._connection().open_table(self.name), self.name)
        return self._table

    def _open_or_create(self) -> Any:
        if self._table is None and not self.exists():
            self._table = _guard(self._create, self.name)
        return self._open()

    def _create(self) -> Any:
        options = {"new_table_enable_stable_row_ids": "true"}
        table = self._connection().create_table(self.name, schema=self.schema, storage_options=options, exist_ok=True)
        _declare_key(table)
        return table

    def exists(self) -> bool:
        """Whether it has been created."""
        return self.name in table_names(self._connection)

    def reopen(self) -> None:
        """Forgets the handle, so that the next use sees a replaced table."""
        self._table = None

    def dimension(self) -> int:
        """The length of the stored vectors; 0 for a table without, or none yet."""
        if not self.exists():
            return 0
        schema = self._reading(lambda: self._open().schema)
        return schema.field("emb").type.list_size if "emb" in schema.names else 0

    # ------------------------------------------------------------------ reading

    def read(self, where: Expr | None = None, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows that pass `where`; the rows of one version even while another process writes."""

        def scan() -> pa.Table:
            if self._table is None and not self.exists():
                return self.schema.empty_table()
            query = self._open().search()
            if where is not None:
                query = query.where(where)
            if columns is not None:
                query = query.select(list(columns))
            return query.to_arrow()

        return self._reading(scan)

    def read_where(self, column: str, values: Sequence[str], columns: Sequence[str] | None = None) -> pa.Table:
        """The rows whose `column` holds one of these ids, in no order."""
        wanted = [one for one in values if is_id(one)]
        parts = [self.read(col(column).isin([lit(one) for one in chunk]), columns) for chunk in _chunks(wanted, 500)]
        return pa.concat_tables(parts) if parts else self.schema.empty_table()

    def count(self) -> int:
        """How many rows there are."""
        return int(self._reading(lambda: self._open().count_rows())) if self.exists() else 0

    def _reading(self, action: Callable[[], Result]) -> Result:
        try:
            return _guard(action, self.name)
        except StoreDamagedError:
            # pruned or replaced by another process while we held an old version: look again once
            self.reopen()
            return _guard(action, self.name)

    # ------------------------------------------------------------------ writing (under the write lock)

    def upsert(self, rows: Sequence[Mapping[str, Any]], removed: Sequence[str] = ()) -> None:
        """One atomic commit: `rows` replace or join what has their ids, `removed` go."""
        if not rows and not removed:
            return
        if not rows:
            self.delete(removed)
            return
        data = pa.Table.from_pylist([dict(row) for row in rows], schema=self.schema)

        def merge() -> None:
            builder = self._open_or_create().merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            gone = [one for one in removed if is_id(one)]
            if gone:
                # ids are letters only (checked): nothing can be pasted into this filter
                builder = builder.when_not_matched_by_source_delete(f"id IN ({', '.join(map(repr, gone))})")
            # the library takes rows that wait for their vector for bad ones when they come first
            builder.execute(data, on_bad_vectors="null")

        self._writing(merge)

    def delete(self, ids: Sequence[str]) -> None:
        """Rows of these ids go (their bytes stay until `erase` or upkeep)."""
        if not self.exists():
            return
        for chunk in _chunks([one for one in ids if is_id(one)], 500):
            self._writing(partial(self._delete, col("id").isin([lit(one) for one in chunk])))

    def _delete(self, where: Expr) -> None:
        self._open().delete(where)

    def _writing(self, action: Callable[[], None]) -> None:
        began = time.time()
        try:
            _guard(action, self.name)
        except StoreDamagedError:
            self.reopen()  # the folder may have been replaced
            _guard(action, self.name)
        if self.folder is not None:
            _sync(self.folder, began)

    def upkeep(self) -> None:
        """Merges small files and drops old versions; then reopens, because file handles leak otherwise."""
        if self.exists():
            _guard(lambda: self._open().optimize(cleanup_older_than=_KEEP_VERSIONS), self.name)
            self.reopen()

    def erase(self, ids: Sequence[str]) -> None:
        """Removes rows so that none of their bytes stay in any file, in this version or an older one.

        A deleted row, and the former state of an updated one, stay in their fragment for ever; so all that
        is kept is written anew and everything else goes.
        """
        if not self.exists():
            return
        kept = self.read()
        gone = pa.array([one for one in ids if is_id(one)], pa.string())
        kept = kept.filter(pc.invert(pc.is_in(kept.column("id"), value_set=gone)))
        self.replace_all(kept)
        self.purge()

    def replace_all(self, rows: pa.Table) -> None:
        """One atomic commit after which the table holds exactly `rows`, in the columns of `rows`."""

        def overwrite() -> None:
            options = {"new_table_enable_stable_row_ids": "true"}
            table = self._connection().create_table(
                self.name, data=rows, mode="overwrite", storage_options=options, on_bad_vectors="null"
            )
            _declare_key(table)
            self._table = table

        self._writing(overwrite)

    def purge(self) -> None:
        """Compacts and drops every version but the newest, with what writers may have left half done."""
        if not self.exists():
            return
        with warnings.catch_warnings():
            # the library warns of concurrent readers: ours read again when a version has gone
            warnings.simplefilter("ignore", UserWarning)
            _guard(lambda: self._open().optimize(cleanup_older_than=timedelta(0), delete_unverified=True), self.name)
        self.reopen()


def _declare_key(table: Any) -> None:
    """Without a declared key two processes that upsert the same new ids store them twice."""
    if not table.schema.field("id").metadata:  # rows read from a table bring the declaration along
        table.set_unenforced_primary_key("id")


def _guard(action: Callable[[], Result], name: str) -> Result:
    """Runs one library call: conflicts are retried with jitter, the rest becomes a StoreError.

    The library raises RuntimeError, OSError and ValueError whose text may quote rows: only its kind goes on.
    """
    for attempt in range(_RETRIES):
        try:
            return action()
        except (RuntimeError, OSError, ValueError) as error:
            said = str(error).lower()
            if any(word in said for word in _FULL):
                raise StoreError("the disk is full: free some space; nothing acknowledged is lost") from None
            if any(word in said for word in _CONFLICTS) and attempt < _RETRIES - 1:
                time.sleep(random.uniform(0.005, 0.05) * 2**attempt)  # noqa: S311 - jitter, not a secret
                continue
            logger.debug("table %s: %s", name, type(error).__name__)
            raise StoreDamagedError(
                f"the table {name} cannot be used ({type(error).__name__}): run `mcp-memory doctor`"
            ) from None
    raise StoreError(f"the table {name} is too busy: try again in a moment")


def _sync(folder: Path, since: float) -> None:
    """Makes the files written since a moment survive a power cut: the library itself never does."""
    for directory, _, names in os.walk(folder):
        fresh = [name for name in names if _written(Path(directory, name)) >= since - 2]
        for path in [*(Path(directory, name) for name in fresh), *([Path(directory)] if fresh else [])]:
            _fsync(path)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _fsync(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return  # pruned meanwhile, or a folder on a system that cannot open folders
    try:
        os.fsync(handle)
    except OSError:
        logger.debug("fsync not possible here")
    finally:
        os.close(handle)


def _chunks(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(values), size):
        yield values[first : first + size]
