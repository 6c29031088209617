"""A loader on Python's gRPC: one call, the worker streams batches that it encodes one by one.

In a message of protobuf, as calls of gRPC have; in it what torch.save writes, as such loaders are
usually written, or the array's own bytes.
"""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator

import grpc
import numpy
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import flow

CALL = "/feed.Batches/Read"
# Channels refuse messages of more than 4 MB unless told otherwise.
LIMITS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


def message_type() -> type:
    """message Batch { bytes image = 1; bytes label = 2; }, without a compiler of such files."""
    file = descriptor_pb2.FileDescriptorProto(name="batch.proto", package="feed", syntax="proto3")
    batch = file.message_type.add(name="Batch")
    for number, name in enumerate(("image", "label"), start=1):
        batch.field.add(name=name, number=number, type=descriptor_pb2.FieldDescriptorProto.TYPE_BYTES,
                        label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("feed.Batch"))


Batch = message_type()


def as_is(message: bytes) -> bytes:
    return message


class Encoding:
    """An array and a label, to a message and back."""

    def __init__(self, size: int) -> None:
        self.image = numpy.random.default_rng(1).integers(0, 256, size, dtype=numpy.uint8)

    def encode(self) -> Batch:
        return Batch(image=self.image.tobytes(), label=(1).to_bytes(8, "little"))

    def decode(self, message: Batch) -> object:
        return {"image": numpy.frombuffer(message.image, numpy.uint8),
                "label": int.from_bytes(message.label, "little")}


class TorchEncoding(Encoding):
    def __init__(self, size: int) -> None:
        import torch   # seconds, and not needed otherwise
        super().__init__(size)
        self.torch = torch
        self.tensors = torch.from_numpy(self.image), torch.tensor([1])

    def encode(self) -> Batch:
        image, label = map(self._saved, self.tensors)
        return Batch(image=image, label=label)

    def decode(self, message: Batch) -> object:
        return {"image": self._loaded(message.image), "label": self._loaded(message.label)}

    def _saved(self, tensor: object) -> bytes:
        out = io.BytesIO()
        self.torch.save(tensor, out)
        return out.getvalue()

    def _loaded(self, saved: bytes) -> object:
        return self.torch.load(io.BytesIO(saved))


class Feed(grpc.GenericRpcHandler):
    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        if details.method != CALL:
            return None
        return grpc.unary_stream_rpc_method_handler(
            self.stream, request_deserializer=as_is, response_serializer=Batch.SerializeToString)

    def stream(self, _: bytes, context: grpc.ServicerContext) -> Iterator[Batch]:
        while context.is_active():
            yield self.encoding.encode()


def serve(encoding: Encoding) -> None:
    server = grpc.server(ThreadPoolExecutor(2), handlers=[Feed(encoding)], options=LIMITS)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    flow.serve(str(port))


def read(port: str, encoding: Encoding) -> Iterator[object]:
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=LIMITS) as channel:
        call = channel.unary_stream(CALL, request_serializer=as_is,
                                    response_deserializer=Batch.FromString)
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
