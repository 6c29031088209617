"""SPDL: threads that decode, crop and scale with FFmpeg's libraries."""

from __future__ import annotations

import random
from typing import Any, Iterator

import numpy
import spdl.io
import torch
from spdl.pipeline import PipelineBuilder

import feed


def frames(path: str, box: feed.Box, flip: str) -> Any:
    """JPEG has the full range of values, which the filter is not told otherwise."""
    cut = f"crop={box.width}:{box.height}:{box.left}:{box.top}:exact=1"
    size = (f"scale={feed.SIDE}:{feed.SIDE}:in_range=full:out_range=full:"
            "flags=bilinear+accurate_rnd+full_chroma_int+full_chroma_inp")
    return spdl.io.decode_packets(spdl.io.demux_image(path),
                                  filter_desc=f"{cut},{size}{flip},format=pix_fmts=rgb24")


def load(path: str) -> Any:
    packets = spdl.io.demux_image(path)
    box = feed.random_box(packets.width, packets.height, random)
    return frames(path, box, ",hflip" if random.random() < 0.5 else "")


def joined(decoded: list[Any]) -> torch.Tensor:
    return spdl.io.to_torch(spdl.io.convert_frames(decoded))


MEAN = torch.tensor(feed.MEAN).mul(255)
SCALE = 1 / torch.tensor(feed.DEVIATION).mul(255)


def batches(options: feed.Options) -> Iterator[Any]:
    torch.set_num_threads(1)

    def source() -> Iterator[str]:
        dice, order = random.Random(1), list(options.files)
        while True:
            dice.shuffle(order)
            yield from order

    def finish(decoded: list[Any]) -> torch.Tensor:
        pixels = joined(decoded)
        if options.format == "u8":
            return pixels
        return pixels.float().sub_(MEAN).mul_(SCALE).permute(0, 3, 1, 2).contiguous()

    pipeline = (PipelineBuilder().add_source(source()).pipe(load, concurrency=options.cores)
                .aggregate(feed.BATCH).pipe(finish).add_sink(2).build(num_threads=options.cores))
    with pipeline.auto_stop():
        yield from pipeline.get_iterator()


def crops(wanted: list[tuple[str, feed.Box]]) -> numpy.ndarray:
    return numpy.stack([joined([frames(path, box, "")])[0].numpy() for path, box in wanted])


feed.main("spdl_ffmpeg", batches, crops)
