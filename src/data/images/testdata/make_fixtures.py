#!/usr/bin/env python3
"""Makes the image files of the tests beside it, and what Pillow makes of them.

    .venv/bin/python src/data/images/testdata/make_fixtures.py

NAME.rgb holds the bytes of crop(CROP).resize(OUT, BILINEAR) of NAME, as Pillow decodes it. What is
stored was made with Pillow 11.3; another version may write other files.
"""

from __future__ import annotations

import io
import math
import struct
import zlib
from pathlib import Path

from PIL import Image, ImageOps

HERE = Path(__file__).resolve().parent
SIZE = (61, 47)
CROP = (7, 5, 7 + 41, 5 + 33)
OUT = (24, 20)
ENLARGED = (20, 11, 20 + 15, 11 + 12)
ENLARGED_OUT = (40, 36)

Pixel = tuple[int, int, int]


def pixel(x: int, y: int) -> Pixel:
    """Slopes, waves and an edge: what a photograph has."""
    red = 128 + 90 * math.sin(x / 9.0 + y / 17.0)
    green = 40 + 3 * x + 12 * math.cos(y / 5.0)
    blue = 220 - 3 * y if (x - 30) ** 2 + (y - 24) ** 2 < 200 else 60 + y
    return tuple(max(0, min(255, round(v))) for v in (red, green, blue))  # type: ignore[return-value]


def picture() -> Image.Image:
    image = Image.new("RGB", SIZE)
    image.putdata([pixel(x, y) for y in range(SIZE[1]) for x in range(SIZE[0])])
    return image


def large_picture() -> Image.Image:
    """Eight times the size, with a texture as of grass; the same on every machine."""
    image = picture().resize((SIZE[0] * 8, SIZE[1] * 8), Image.Resampling.BICUBIC)
    state, values = 1, bytearray(image.tobytes())
    for i in range(0, len(values), 3):
        state = (state * 1103515245 + 12345) % (1 << 31)
        for k in range(3):
            values[i + k] = max(0, min(255, values[i + k] + (state >> 16) % 25 - 12))
    return Image.frombytes("RGB", image.size, bytes(values))


def encode(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(depth: int, color: int, rows: bytes, interlace: int = 0) -> bytes:
    head = struct.pack(">IIBBBBB", *SIZE, depth, color, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


def interlaced_png(image: Image.Image) -> bytes:
    rows = b""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                           (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, SIZE[1], dy):
            rows += b"\0" + b"".join(bytes(image.getpixel((x, y))) for x in range(x0, SIZE[0], dx))
    return png(8, 2, rows, interlace=1)


def png_of_16_bits(image: Image.Image) -> bytes:
    rows = b""
    for y in range(SIZE[1]):
        rows += b"\0"
        for x in range(SIZE[0]):
            for value in image.getpixel((x, y)):
                rows += bytes((value, (value * 7 + x) % 256))
    return png(16, 2, rows)


def gray_png_of_16_bits(image: Image.Image) -> bytes:
    rows = b""
    for y in range(SIZE[1]):
        rows += b"\0" + b"".join(bytes((image.getpixel((x, y)), x)) for x in range(SIZE[0]))
    return png(16, 0, rows)


def ycck(jpeg: bytes) -> bytes:
    """Says of a CMYK file that it is YCCK: other colours, the same for every decoder."""
    at = jpeg.index(b"Adobe")
    return jpeg[: at + 11] + b"\x02" + jpeg[at + 12 :]


def files() -> dict[str, bytes]:
    image = picture()
    gray = image.convert("L")
    alpha = image.copy()
    alpha.putalpha(gray)
    exif = Image.Exif()
    exif[0x0112] = 6
    cmyk = encode(image.convert("CMYK"), "JPEG", quality=92)
    return {
        "base_420.jpg": encode(image, "JPEG", quality=92, subsampling="4:2:0"),
        "base_422.jpg": encode(image, "JPEG", quality=92, subsampling="4:2:2"),
        "base_444.jpg": encode(image, "JPEG", quality=92, subsampling="4:4:4"),
        "restarts.jpg": encode(image, "JPEG", quality=92, restart_marker_blocks=2),
        "progressive.jpg": encode(image, "JPEG", quality=92, progressive=True),
        "gray.jpg": encode(gray, "JPEG", quality=92),
        "cmyk.jpg": cmyk,
        "ycck.jpg": ycck(cmyk),
        "turned.jpg": encode(image, "JPEG", quality=92, exif=exif),
        "rgb.png": encode(image, "PNG", optimize=True),
        "alpha.png": encode(alpha, "PNG", optimize=True),
        "gray.png": encode(gray, "PNG", optimize=True),
        "bits.png": encode(image.convert("1"), "PNG", optimize=True),
        "palette.png": encode(image.quantize(64), "PNG", optimize=True, transparency=3),
        "deep.png": png_of_16_bits(image),
        "deep_gray.png": gray_png_of_16_bits(gray),
        "interlaced.png": interlaced_png(image),
        "lossy.webp": encode(image, "WEBP", quality=90),
        "lossless.webp": encode(alpha, "WEBP", lossless=True),
        "alpha.webp": encode(alpha, "WEBP", quality=90),
        "turned.webp": encode(image, "WEBP", quality=90, exif=exif),
    }


def huge_png() -> bytes:
    """20,000 x 20,000 in one bit: stripes of 4 pixels, 16 rows of white at the top."""
    side = 20_000
    row = b"\0" + b"\x0f" * (side // 8)
    white = b"\0" + b"\xff" * (side // 8)
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    rows = zlib.compress(white * 16 + row * (side - 16), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows)
            + chunk(b"IEND", b""))


def decoded(name: str, content: bytes) -> Image.Image:
    if name == "deep_gray.png":  # Pillow clips its 16 bits instead of taking the upper 8
        return picture().convert("L").convert("RGB")
    opened = Image.open(io.BytesIO(content))
    if name.startswith("turned"):
        opened = ImageOps.exif_transpose(opened)
    return opened.convert("RGB")


def main() -> None:
    large = large_picture()
    (HERE / "large").mkdir(exist_ok=True)
    (HERE / "large" / "texture.jpg").write_bytes(encode(large, "JPEG", quality=85))
    for name, box, out in (("shrunk", (10, 6, 10 + 450, 6 + 360), (48, 40)),
                           ("halved", (33, 21, 33 + 200, 21 + 180), (100, 90))):
        made = Image.open(HERE / "large" / "texture.jpg").crop(box)
        made = made.resize(out, Image.Resampling.BILINEAR)
        (HERE / "large" / f"{name}.rgb").write_bytes(made.tobytes())
    (HERE / "huge").mkdir(exist_ok=True)
    (HERE / "huge" / "stripes.png").write_bytes(huge_png())
    for name, content in files().items():
        (HERE / name).write_bytes(content)
        image = decoded(name, content)
        small = image.crop(CROP).resize(OUT, Image.Resampling.BILINEAR)
        if name.startswith("turned"):  # 47 wide, 61 high
            small = image.crop((5, 7, 5 + 33, 7 + 41)).resize(OUT, Image.Resampling.BILINEAR)
        (HERE / f"{name}.rgb").write_bytes(small.tobytes())
        if name == "base_420.jpg":
            large = image.crop(ENLARGED).resize(ENLARGED_OUT, Image.Resampling.BILINEAR)
            (HERE / "enlarged.rgb").write_bytes(large.tobytes())


if __name__ == "__main__":
    main()
