"""Batches from Evener's data service: what photos.py, feeding.py and frames.py do by hand."""

from __future__ import annotations

from evener.data import Pipeline, Reader, channel, images

from photos import IMAGE_SIZE, Batch


class ServiceReader:
    def __init__(self, batch_size: int, seed: int) -> None:
        source = images(channel("raw"), index=channel("labels", "labels.csv"))
        self._reader = Reader(pipeline=(
            Pipeline(source, seed=seed, epochs=0)
            .random_resized_crop(IMAGE_SIZE, scale=(0.25, 1.0)).flip()
            .output("uint8").batch(batch_size)))

    def next(self) -> Batch:
        batch = next(self._reader)
        return Batch(batch["image"], [], batch["label"])
