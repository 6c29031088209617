"""A loader on Python's gRPC: one call, the worker streams batches that it encodes one by one.

Encodings: torch.save and torch.load, as such loaders are usually written, or the array's own bytes.
"""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator

import grpc
import numpy

import flow

CALL = "/feed.Batches/Read"
# Channels refuse messages of more than 4 MB unless told otherwise.
LIMITS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


def as_is(message: bytes) -> bytes:
    return message


class Encoding:
    """A dict of an array and a label, to bytes and back."""

    def __init__(self, size: int) -> None:
        self.image = numpy.random.default_rng(1).integers(0, 256, size, dtype=numpy.uint8)

    def encode(self) -> bytes:
        return self.image.tobytes() + (1).to_bytes(8, "little")

    def decode(self, message: bytes) -> object:
        return {"image": numpy.frombuffer(message, numpy.uint8, len(message) - 8),
                "label": int.from_bytes(message[-8:], "little")}


class TorchEncoding(Encoding):
    def __init__(self, size: int) -> None:
        import torch   # seconds, and not needed otherwise
        super().__init__(size)
        self.torch = torch
        self.batch = {"image": torch.from_numpy(self.image), "label": torch.tensor([1])}

    def encode(self) -> bytes:
        out = io.BytesIO()
        self.torch.save(self.batch, out)
        return out.getvalue()

    def decode(self, message: bytes) -> object:
        return self.torch.load(io.BytesIO(message))


class Feed(grpc.GenericRpcHandler):
    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        if details.method != CALL:
            return None
        return grpc.unary_stream_rpc_method_handler(
            self.stream, request_deserializer=as_is, response_serializer=as_is)

    def stream(self, _: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        while context.is_active():
            yield self.encoding.encode()


def serve(encoding: Encoding) -> None:
    server = grpc.server(ThreadPoolExecutor(2), handlers=[Feed(encoding)], options=LIMITS)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    flow.serve(str(port))


def read(port: str, encoding: Encoding) -> Iterator[object]:
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=LIMITS) as channel:
        call = channel.unary_stream(CALL, request_serializer=as_is, response_deserializer=as_is)
        for message in call(b""):
            yield encoding.decode(message)


def main() -> None:
    args = flow.options(encoding=("bytes", "torch"))
    encoding = (TorchEncoding if args.encoding == "torch" else Encoding)(args.bytes)
    if args.serve:
        serve(encoding)
        return
    with flow.worker() as (pid, port):
        flow.measure(f"grpc_{args.encoding}", read(port, encoding), lambda: [pid], args)
        os._exit(0)   # the stream has no end; the worker ends with its stdin


main()
