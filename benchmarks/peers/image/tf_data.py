"""tf.data: decode_and_crop_jpeg, resize (antialiased if ANTIALIAS=1), flip, normalise."""

from __future__ import annotations

import os
from typing import Any, Iterator

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

import feed  # noqa: E402

ANTIALIAS = os.environ.get("ANTIALIAS") == "1"
MEAN = [one * 255 for one in feed.MEAN]
DEVIATION = [one * 255 for one in feed.DEVIATION]


def random_window(encoded: tf.Tensor) -> tf.Tensor:
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.io.extract_jpeg_shape(encoded), bounding_boxes=tf.zeros([1, 0, 4]), area_range=feed.SCALE,
        aspect_ratio_range=feed.RATIO, max_attempts=10, use_image_if_no_bounding_boxes=True)
    return tf.stack([begin[0], begin[1], size[0], size[1]])


def scaled(encoded: tf.Tensor, window: tf.Tensor) -> tf.Tensor:
    cut = tf.image.decode_and_crop_jpeg(encoded, window, channels=3)
    return tf.image.resize(cut, [feed.SIDE, feed.SIDE], antialias=ANTIALIAS)


def batches(options: feed.Options) -> Iterator[Any]:
    tf.config.threading.set_inter_op_parallelism_threads(options.cores)
    tf.config.threading.set_intra_op_parallelism_threads(options.cores)

    def load(path: tf.Tensor) -> tf.Tensor:
        encoded = tf.io.read_file(path)
        made = tf.image.random_flip_left_right(scaled(encoded, random_window(encoded)))
        if options.format == "u8":
            return tf.cast(tf.round(made), tf.uint8)
        return tf.transpose((made - tf.constant(MEAN)) / tf.constant(DEVIATION), [2, 0, 1])

    settings = tf.data.Options()
    settings.autotune.enabled = False   # it halves the speed on one core
    settings.threading.private_threadpool_size = options.cores
    data = tf.data.Dataset.from_tensor_slices(options.files).shuffle(len(options.files)).repeat()
    data = data.map(load, num_parallel_calls=options.cores).batch(feed.BATCH, drop_remainder=True)
    return iter(data.prefetch(1).with_options(settings))


def crops(wanted: list[tuple[str, feed.Box]]) -> numpy.ndarray:
    return numpy.stack([scaled(tf.io.read_file(path), tf.constant(
        [box.top, box.left, box.height, box.width])).numpy() for path, box in wanted])


feed.main("tf_data_antialias" if ANTIALIAS else "tf_data", batches, crops)
