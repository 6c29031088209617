"""What the data service does to samples, as data: built in code, or written as TOML.

    photographs = (
        Pipeline(images("/data/photos"), seed=17, epochs=90)
        .random_resized_crop(224).flip().normalise(IMAGENET_MEAN, IMAGENET_STD)
        .output("float32").batch(64))

The members are those of the TOML form. A definition is read by the same code on every side, when
batch() completes it: PipelineError says what is wrong.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evener import _native
from evener.data.errors import PipelineError

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)

Size = int | tuple[int, int]  # N, or (height, width)


@dataclass(frozen=True)
class Source:
    """Where samples come from; a path as the workers see it, or a URI."""

    members: dict[str, Any]


def images(location: str | os.PathLike[str], index: str | os.PathLike[str] | None = None) -> Source:
    """Photographs below a folder, whose sub-folders are the classes, or as a CSV or JSON-lines
    index lists them."""
    return Source(_given(kind="images", location=os.fspath(location),
                         index=None if index is None else os.fspath(index)))


def shards(location: str | os.PathLike[str]) -> Source:
    """Tar files in WebDataset's form."""
    return Source({"kind": "shards", "location": os.fspath(location)})


def records(
    location: str | os.PathLike[str],
    fields: Sequence[tuple[str, str, Sequence[int]]],
    header_bytes: int = 0,
) -> Source:
    """Records of a fixed size: (name, type, shape) of each field, one after another."""
    return Source({
        "kind": "records", "location": os.fspath(location), "header_bytes": header_bytes,
        "fields": [{"name": name, "type": dtype, "shape": list(shape)}
                   for name, dtype, shape in fields]})


def channel(name: str, path: str = "") -> str:
    """The location of a job's channel, or of a path in it, on whichever host reads it."""
    return f"channel://{name}/{path}"


class Pipeline:
    """A value: each method gives a new one. Stages are named in the order in which they apply."""

    def __init__(
        self,
        source: Source,
        *,
        seed: int = 0,
        epochs: int = 1,
        shuffle: bool = True,
        on_error: str = "raise",
    ) -> None:
        """`epochs`: 0 is without end. `on_error`: raise, skip or replace."""
        self._document: dict[str, Any] = {
            "seed": seed, "epochs": epochs, "shuffle": shuffle, "on_error": on_error,
            "source": dict(source.members)}
        self._text: str | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Pipeline:
        """From a TOML file; relative locations in it count from its folder."""
        file = Path(path)
        text = _native.read_toml_definition(
            file.read_text(), str(file), str(file.resolve().parent))
        return cls._of(json.loads(text), text)

    @classmethod
    def of(cls, document: dict[str, Any]) -> Pipeline:
        """From a document with the members of the TOML form."""
        return cls._of(copy.deepcopy(document), None)._complete()

    def resize(self, size: Size) -> Pipeline:
        """(height, width), or one number for the shorter side, with a centre_crop behind it."""
        return self._with_stage(name="resize", size=_size(size))

    def random_resized_crop(
        self,
        size: Size,
        *,
        scale: tuple[float, float] | None = None,
        ratio: tuple[float, float] | None = None,
    ) -> Pipeline:
        return self._with_stage(name="random_resized_crop", size=_size(size), scale=_list(scale),
                                ratio=_list(ratio))

    def centre_crop(self, size: Size) -> Pipeline:
        return self._with_stage(name="centre_crop", size=_size(size))

    def flip(self, probability: float = 0.5) -> Pipeline:
        return self._with_stage(name="flip", probability=probability)

    def colour_jitter(
        self, *, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ) -> Pipeline:
        return self._with_stage(name="colour_jitter", brightness=brightness, contrast=contrast,
                                saturation=saturation, hue=hue)

    def normalise(self, mean: Sequence[float], std: Sequence[float]) -> Pipeline:
        return self._with_stage(name="normalise", mean=_list(mean), std=_list(std))

    def output(
        self,
        image: str = "float32",
        *,
        label: str = "int64",
        classes: int | None = None,
        orientation: str = "as_stored",
    ) -> Pipeline:
        """`image`: uint8 (NHWC), float32 or float16 (NCHW). `label`: int64, one_hot or none.
        `orientation`: as_stored, or upright as the file's EXIF says."""
        return self._with("output", _given(image=image, label=label, classes=classes,
                                           orientation=orientation))

    def batch(self, size: int, *, last: str = "drop") -> Pipeline:
        """`last`: what becomes of samples that fill no whole batch: drop, pad or short."""
        return self._with("batch", {"size": size, "last": last})._complete()

    @property
    def document(self) -> dict[str, Any]:
        """Complete, with every member."""
        document: dict[str, Any] = json.loads(self.json())
        return document

    def json(self) -> str:
        """The text that travels; equal definitions have equal texts."""
        if self._text is None:
            return self._complete().json()
        return self._text

    @property
    def fingerprint(self) -> str:
        """SHA-256 of json()."""
        return _native.fingerprint(self.json())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pipeline) and self.json() == other.json()

    def __hash__(self) -> int:
        return hash(self.json())

    def __repr__(self) -> str:
        return f"Pipeline.of({self._document!r})"

    @classmethod
    def _of(cls, document: dict[str, Any], text: str | None) -> Pipeline:
        made = cls.__new__(cls)
        made._document = document
        made._text = text
        return made

    def _with(self, name: str, value: Any) -> Pipeline:
        return self._of({**self._document, name: value}, None)

    def _with_stage(self, **members: Any) -> Pipeline:
        return self._with("stage", [*self._document.get("stage", []), _given(**members)])

    def _complete(self) -> Pipeline:
        try:
            text = json.dumps(self._document, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise PipelineError(f"the definition is no data: {error}") from error
        return self._of(self._document, _native.read_definition(text, os.getcwd()))


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _list(values: Sequence[float] | None) -> list[float] | None:
    return None if values is None else [float(value) for value in values]


def _size(size: Size) -> int | list[int]:
    return size if isinstance(size, int) else list(size)
