"""The data service in a trainer.

    from evener.data import Pipeline, Reader, channel, images

    pipeline = Pipeline(images(channel("raw"))).random_resized_crop(224).batch(64)
    with Reader(pipeline=pipeline) as reader:
        for batch in reader:
            train(batch["image"], batch["label"])
"""

from evener.data.errors import DataError, PipelineError
from evener.data.pipeline import (
    IMAGENET_MEAN, IMAGENET_STD, Pipeline, Source, channel, images, records, shards)
from evener.data.reader import Field, Reader, Statistics
from evener.roles import Roles, RolesError, roles

__all__ = [
    "DataError", "Field", "IMAGENET_MEAN", "IMAGENET_STD", "Pipeline", "PipelineError", "Reader",
    "Roles", "RolesError", "Source", "Statistics", "channel", "images", "records", "roles", "shards",
]
