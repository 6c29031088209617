"""Batches of the data service in a trainer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from evener import _native
from evener.data.errors import DataError
from evener.data.pipeline import Pipeline
from evener.roles import roles

Arrays = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """One array of a batch; the shape is without the batch axis."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Statistics:
    """What a reader has seen since it was opened."""

    batches: int          # handed out
    body_bytes: int
    arena_batches: int    # that came through shared memory
    duplicates: int       # dropped
    failed_units: int
    wait_seconds: float   # spent waiting for a batch
    ready: int            # received and next in order, not taken
    held_back: int        # received, waiting for one before them
    memory_bytes: int     # received and not yet dropped
    workers: int          # connected


class Reader:
    """Iterates the batches of one rank, in order, each once: dicts of arrays by field name.

    Arrays share the memory of their batch, which stays until the last of them is dropped; they may
    be changed in place. Waits release Python's lock and end by Ctrl-C. Any thread may call; one at
    a time waits for a batch.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        pipeline: Pipeline | str | os.PathLike[str] | None = None,
        feed: str = "default",
        rank: int | None = None,
        ranks: int | None = None,
        as_: Literal["numpy", "torch", "dlpack"] = "numpy",
        start: tuple[int, int] = (0, 0),
        token: str | None = None,
        tls_ca: str | os.PathLike[str] | None = None,
        memory_bytes: int = 256 << 20,
        shared_memory: bool = True,
        connect_seconds: float = 60.0,
        patience_seconds: float = 30.0,
    ) -> None:
        """Connects to the dispatcher; raises DataError.

        address          host:port; EVENER_DATA_ADDRESS, which evener.launch sets, by default
        pipeline         a Pipeline, or the path of its TOML file; None joins the feed that is there
        feed             the name by which ranks find each other
        rank, ranks      those of roles() by default
        as_              what arrays are; "dlpack" leaves them to any library's from_dlpack()
        start            (epoch, batch) of the first batch that is wanted
        token            EVENER_DATA_TOKEN, or the file EVENER_DATA_TOKEN_FILE, by default
        tls_ca           a PEM file to trust: TLS
        memory_bytes     of batches received and not yet dropped
        shared_memory    whether workers on this machine may use it instead of a socket
        connect_seconds  to wait for the dispatcher at first
        patience_seconds to wait for a dispatcher or workers that have gone
        """
        if rank is None or ranks is None:
            rank, ranks = _own_place(rank, ranks)
        if pipeline is not None and not isinstance(pipeline, Pipeline):
            pipeline = Pipeline.load(pipeline)
        self._native = _native.Reader(
            address=address or _address(),
            token=_token() if token is None else token,
            tls_ca="" if tls_ca is None else os.fspath(tls_ca),
            feed=feed,
            pipeline=None if pipeline is None else pipeline.json(),
            rank=rank,
            ranks=ranks,
            epoch=start[0],
            batch=start[1],
            memory_bytes=memory_bytes,
            shared_memory=shared_memory,
            connect_seconds=connect_seconds,
            patience_seconds=patience_seconds,
            as_=as_,
        )
        self._next = self._native.next
        description = self._native.feed()
        self.fields = tuple(Field(*field) for field in description["fields"])
        self.batch_size: int = description["batch_size"]
        self.batches_per_epoch: int = description["batches_per_epoch"]  # of all ranks together
        self.epochs: int = description["epochs"]                        # 0: without end

    def __iter__(self) -> Iterator[Arrays]:
        return self

    def __next__(self) -> Arrays:
        batch = self._next()
        if batch is None:
            raise StopIteration
        return batch

    def epoch(self) -> Iterator[Arrays]:
        """The rest of the epoch that the next batch is of."""
        current = self.position[0]
        while self.position[0] == current:
            batch = self._next()
            if batch is None:
                return
            yield batch

    @property
    def position(self) -> tuple[int, int]:
        """(epoch, batch) of the next batch."""
        return self._native.position()

    def statistics(self) -> Statistics:
        return Statistics(**self._native.statistics())

    def close(self) -> None:
        """Ends the connections; a next() that waits raises DataError. Arrays stay as they are."""
        self._native.close()

    @property
    def closed(self) -> bool:
        return self._native.closed()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _address() -> str:
    address = os.environ.get("EVENER_DATA_ADDRESS")
    if not address:
        raise DataError("no address: name the dispatcher's host:port, or start the script by "
                        "python -m evener.launch, which sets EVENER_DATA_ADDRESS",
                        code="InvalidArgument")
    return address


def _own_place(rank: int | None, ranks: int | None) -> tuple[int, int]:
    me = roles()
    return me.rank if rank is None else rank, me.ranks if ranks is None else ranks


def _token() -> str:
    token = os.environ.get("EVENER_DATA_TOKEN", "").strip()
    path = os.environ.get("EVENER_DATA_TOKEN_FILE", "")
    if token or not path:
        return token
    try:
        return Path(path).read_text().split("\n", 1)[0].strip()
    except OSError as error:
        raise DataError(f"EVENER_DATA_TOKEN_FILE={path}: {error.strerror}",
                        code="NotFound") from error
