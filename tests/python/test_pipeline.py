"""Pipelines built in code and loaded from TOML: the same definition, the same errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from evener.data import (
    IMAGENET_MEAN, IMAGENET_STD, Pipeline, PipelineError, channel, images, records, shards)

TOML = """
seed = 17
epochs = 90
on_error = "skip"

[source]
kind = "images"
location = "photos"
index = "labels.csv"

[[stage]]
name = "random_resized_crop"
size = [160, 224]
scale = [0.25, 1.0]

[[stage]]
name = "flip"

[[stage]]
name = "colour_jitter"
brightness = 0.4
hue = 0.1

[[stage]]
name = "normalise"
mean = [0.485, 0.456, 0.406]
std = [0.229, 0.224, 0.225]

[output]
image = "float16"
label = "one_hot"
classes = 10
orientation = "upright"

[batch]
size = 64
last = "pad"
"""


def in_code(folder: Path) -> Pipeline:
    return (
        Pipeline(images(folder / "photos", folder / "labels.csv"), seed=17, epochs=90,
                 on_error="skip")
        .random_resized_crop((160, 224), scale=(0.25, 1.0)).flip()
        .colour_jitter(brightness=0.4, hue=0.1).normalise(IMAGENET_MEAN, IMAGENET_STD)
        .output("float16", label="one_hot", classes=10, orientation="upright")
        .batch(64, last="pad"))


def test_code_and_toml_make_the_same_definition(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(TOML)
    loaded, built = Pipeline.load(tmp_path / "p.toml"), in_code(tmp_path)
    assert loaded == built and hash(loaded) == hash(built)
    assert loaded.fingerprint == built.fingerprint and len(built.fingerprint) == 64
    assert built.document["source"]["location"] == (tmp_path / "photos").as_uri()


def test_a_document_makes_its_pipeline_again(tmp_path: Path) -> None:
    built = in_code(tmp_path)
    assert Pipeline.of(built.document) == built
    assert eval(repr(built), {"Pipeline": Pipeline}) == built


def test_each_method_gives_a_new_pipeline(tmp_path: Path) -> None:
    start = Pipeline(images(tmp_path)).centre_crop(64)
    small, large = start.batch(2), start.batch(4)
    assert small != large and small.fingerprint != large.fingerprint


def test_all_sources_and_stages_are_known(tmp_path: Path) -> None:
    Pipeline(shards(tmp_path)).resize(256).centre_crop(224).output("uint8").batch(8)
    Pipeline(shards(tmp_path)).resize((10, 20)).flip(0.1).batch(8, last="short")
    made = Pipeline(records(tmp_path, [("x", "float32", [3]), ("y", "int8", [])], header_bytes=16),
                    shuffle=False).batch(8)
    assert made.document["source"]["header_bytes"] == 16


def test_relative_locations_count_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Pipeline(images("photos")).centre_crop(8).batch(1)
    assert made.document["source"]["location"] == (tmp_path / "photos").as_uri()
    assert Pipeline(images("s3://bucket/photos")).centre_crop(8).batch(1).document["source"][
        "location"].startswith("s3://bucket/photos")


def test_channels_of_a_job_are_named_as_the_job_names_them() -> None:
    source = images(channel("raw"), channel("labels", "labels.csv"))
    made = Pipeline(source).centre_crop(8).batch(1).document["source"]
    assert made["location"] == "channel://raw/"
    assert made["index"] == "channel://labels/labels.csv"


@pytest.mark.parametrize("build, words", [
    (lambda p: p.batch(0), "batch.size"),
    (lambda p: p.flip().random_resized_crop(64).batch(1), "stands behind flip"),
    (lambda p: p.batch(1), "random_resized_crop"),
    (lambda p: p.random_resized_crop(64).output("unit8").batch(1), "uint8"),
    (lambda p: p.random_resized_crop(64).flip(2).batch(1), "probability"),
    (lambda p: p.random_resized_crop(64).output(label="one_hot").batch(1), "classes"),
    (lambda p: p.random_resized_crop(64).flip(float("nan")).batch(1), "no data"),
])
def test_what_is_wrong_is_named(tmp_path: Path, build, words: str) -> None:
    with pytest.raises(PipelineError) as raised:
        build(Pipeline(images(tmp_path)))
    assert words in str(raised.value)


def test_errors_of_a_file_name_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(TOML.replace('name = "flip"', 'name = "flop"'))
    with pytest.raises(PipelineError) as raised:
        Pipeline.load(tmp_path / "p.toml")
    assert f"{tmp_path / 'p.toml'}:17" in str(raised.value) and "flip" in str(raised.value)


def test_a_document_with_unknown_members_is_refused(tmp_path: Path) -> None:
    document = in_code(tmp_path).document
    with pytest.raises(PipelineError, match="seed"):
        Pipeline.of({**document, "sed": 1})
