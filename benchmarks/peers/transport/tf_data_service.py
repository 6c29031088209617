"""tf.data service over gRPC: a dispatcher and one worker in one process, one reader."""

from __future__ import annotations

import os
from typing import Iterator

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402

import flow  # noqa: E402

service = tf.data.experimental.service


def serve() -> None:
    dispatcher = service.DispatchServer()
    address = dispatcher.target.split("://")[1]
    workers = [service.WorkerServer(service.WorkerConfig(dispatcher_address=address))]
    flow.serve(dispatcher.target)
    del workers


def message(size: int) -> tf.data.Dataset:
    """The same element again and again, kept by the worker; bytes that do not compress."""
    def make(_: tf.Tensor) -> dict[str, tf.Tensor]:
        noise = tf.random.uniform([size], maxval=256, dtype=tf.int32)
        return {"image": tf.cast(noise, tf.uint8), "label": tf.constant([1], tf.int64)}

    return tf.data.Dataset.range(1).map(make).cache().repeat()


def read(target: str, size: int, compression: str) -> Iterator[object]:
    data = message(size).apply(service.distribute(
        processing_mode="parallel_epochs", service=target,
        compression="AUTO" if compression == "auto" else None))
    return iter(data)


def main() -> None:
    args = flow.options(compression=("none", "auto"))
    if args.serve:
        serve()
        return
    with flow.worker() as (pid, target):
        flow.measure(f"tf_data_service_{args.compression}", read(target, args.bytes, args.compression),
                     lambda: [pid], args)
        os._exit(0)   # the iterator has no end; the worker ends with its stdin


main()
