from typing import Any

class Body:
    """The bytes of a batch; exports the buffer protocol."""

class Reader:
    def __init__(
        self,
        *,
        address: str,
        token: str,
        tls_ca: str,
        feed: str,
        pipeline: str | None,
        rank: int,
        ranks: int,
        epoch: int,
        batch: int,
        memory_bytes: int,
        shared_memory: bool,
        connect_seconds: float,
        patience_seconds: float,
        as_: str,
    ) -> None: ...
    def next(self) -> dict[str, Any] | None: ...
    def close(self) -> None: ...
    def closed(self) -> bool: ...
    def position(self) -> tuple[int, int]: ...
    def statistics(self) -> dict[str, Any]: ...
    def feed(self) -> dict[str, Any]: ...

def read_definition(text: str, folder: str) -> str:
    """The canonical JSON of a definition in JSON; PipelineError."""

def read_toml_definition(text: str, file: str, folder: str) -> str:
    """The canonical JSON of a definition in TOML; PipelineError."""

def fingerprint(text: str) -> str:
    """Of a definition in JSON."""
