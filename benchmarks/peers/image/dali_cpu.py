"""DALI on the CPU: image_random_crop, which decodes the crop alone, and an antialiased resize."""

from __future__ import annotations

from typing import Any, Iterator

import numpy
from nvidia.dali import fn, pipeline_def, types

import feed


@pipeline_def(batch_size=feed.BATCH, device_id=None, seed=1, prefetch_queue_depth=2)
def training(files: list[str], form: str):
    encoded, _ = fn.readers.file(files=files, labels=[0] * len(files), random_shuffle=True,
                                 shuffle_after_epoch=False, initial_fill=len(files), name="reader")
    images = fn.decoders.image_random_crop(encoded, device="cpu", output_type=types.RGB,
                                           random_area=feed.SCALE, random_aspect_ratio=feed.RATIO)
    images = fn.resize(images, size=[feed.SIDE, feed.SIDE], interp_type=types.INTERP_LINEAR,
                       antialias=True)
    mirror = fn.random.coin_flip()
    if form == "u8":
        return fn.flip(images, horizontal=mirror)
    return fn.crop_mirror_normalize(images, mirror=mirror, dtype=types.FLOAT, output_layout="CHW",
                                    mean=[one * 255 for one in feed.MEAN],
                                    std=[one * 255 for one in feed.DEVIATION])


def batches(options: feed.Options) -> Iterator[Any]:
    pipe = training(options.files, options.format, num_threads=options.cores)
    pipe.build()
    while True:
        (batch,) = pipe.run()
        yield numpy.asarray(batch.as_tensor())


@pipeline_def(device_id=None, num_threads=1)
def given(encoded: list, begins: list, sizes: list):
    data = fn.external_source(source=lambda: encoded, batch=True)
    begin = fn.external_source(source=lambda: begins, batch=True)
    size = fn.external_source(source=lambda: sizes, batch=True)
    images = fn.decoders.image_slice(data, begin, size, device="cpu", output_type=types.RGB,
                                     normalized_anchor=False, normalized_shape=False,
                                     axis_names="HW")
    return fn.resize(images, size=[feed.SIDE, feed.SIDE], interp_type=types.INTERP_LINEAR,
                     antialias=True)


def crops(wanted: list[tuple[str, feed.Box]]) -> numpy.ndarray:
    encoded = [numpy.fromfile(path, dtype=numpy.uint8) for path, _ in wanted]
    begins = [numpy.array([box.top, box.left], dtype=numpy.float32) for _, box in wanted]
    sizes = [numpy.array([box.height, box.width], dtype=numpy.float32) for _, box in wanted]
    pipe = given(encoded, begins, sizes, batch_size=len(wanted))
    pipe.build()
    (made,) = pipe.run()
    return numpy.asarray(made.as_tensor())


feed.main("dali_cpu", batches, crops)
