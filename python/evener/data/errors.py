"""What the data service says when something is wrong."""

from __future__ import annotations

from collections.abc import Sequence


class DataError(RuntimeError):
    """The message says what failed, on what, and what to try.

    `code` is one of InvalidArgument, NotFound, PermissionDenied, LimitExceeded, Unavailable, Corrupt,
    Cancelled, TimedOut, Unsupported, Io, Internal. Where a batch could not be made, the others say
    which: the next call of the reader goes on behind it.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "Internal",
        epoch: int | None = None,
        batch: int | None = None,
        samples: Sequence[int] = (),
        worker: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.epoch = epoch
        self.batch = batch
        self.samples = tuple(samples)  # indices in the source
        self.worker = worker           # its number at the dispatcher


class PipelineError(ValueError):
    """A pipeline's definition is wrong: the message names the member and what it may be."""
