#!/usr/bin/env python3
"""Images a second from JPEG files to cropped batches: ours, its peers, and the floor, in turn.

    image_bench.py --evener build/evener --floor image_floor [--rounds 5] [--seconds 3]
                   [--only NAME]...

First what each makes of 50 fixed crops, against Pillow's antialiased result. Then every way in turn,
an own process held to one core and then to two, batches of 64 x 224 x 224: float32, and bytes on one
core. Ratios last; the best peer is sought among those whose every crop has at least 50 dB, so that
none is fast for leaving the antialiasing out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from rounds import Rounds  # noqa: E402

CASES = ((1, "f32"), (2, "f32"), (1, "u8"))
CROPS = 50
GOOD_DB = 50
START_WITHIN = 120
RATE, CPU = "images_per_second", "cpu_seconds_per_1000"


@dataclass
class Way:
    name: str
    command: list[str]
    program: Path                    # without it the way is skipped
    variables: dict[str, str] = field(default_factory=dict)


def ways_of(options: argparse.Namespace) -> list[Way]:
    torch, tensorflow = (environment / "bin/python" for environment in (options.torch, options.tf))

    def peer(name: str, python: Path, **variables: str) -> Way:
        return Way(name, [str(python), str(HERE / f"{name.removesuffix('_antialias')}.py")], python,
                   variables)

    return [Way("evener", [str(options.evener), "data", "bench", "image", "--json"], options.evener),
            Way("floor", [str(options.floor)], options.floor),
            peer("dali_cpu", torch), peer("torch_pil", torch), peer("torch_tensors", torch),
            peer("torch_opencv", torch), peer("tf_data", tensorflow),
            peer("tf_data_antialias", tensorflow, ANTIALIAS="1"), peer("spdl_ffmpeg", torch)]


def run(way: Way, more: list[str], cores: int, seconds: float) -> str:
    """What it printed; held to its cores, with the thread pools of libraries told of them."""
    held = ["taskset", "-c", f"0-{cores - 1}"]
    variables = dict(os.environ, **way.variables, OMP_NUM_THREADS=str(cores), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([*held, *way.command, *more], env=variables, capture_output=True, text=True,
                          timeout=START_WITHIN + seconds, check=False)
    if done.returncode != 0:
        tail = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise RuntimeError(f"exit code {done.returncode}: {' '.join(tail)}")
    return done.stdout


def json_of(text: str) -> dict:
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {}


class Bench:
    def __init__(self, options: argparse.Namespace, rounds: Rounds) -> None:
        self.options, self.rounds = options, rounds
        self.ways: list[Way] = []
        self.quality: dict[str, float] = {}
        for way in ways_of(options):
            if options.only and way.name not in options.only:
                continue
            if way.program.exists():
                self.ways.append(way)
            else:
                rounds.skip(f"{way.name} is not installed: there is no {way.program}")

    def drop(self, way: Way, error: Exception) -> None:
        """A peer that fails is named and left out of what follows."""
        self.rounds.say(skipped=f"{way.name} does not run: {error}")
        self.ways = [other for other in self.ways if other.name != way.name]

    def check_quality(self, folder: Path) -> None:
        python = str(self.options.torch / "bin/python")
        crops, reference, made = folder / "crops", folder / "reference", folder / "made"
        tool = [python, str(HERE / "quality.py")]
        subprocess.run([*tool, "choose", "--input", str(self.options.input), "--count", str(CROPS),
                        "--crops", str(crops), "--reference", str(reference)], check=True)
        for way in list(self.ways):
            if way.name == "evener":   # says its own with its speed
                continue
            try:
                run(way, ["--input", str(self.options.input), "--crops", str(crops), "--out",
                          str(made)], 1, 0)
                done = subprocess.run([*tool, "compare", "--reference", str(reference), "--made",
                                       str(made)], check=True, capture_output=True, text=True)
            except (RuntimeError, subprocess.SubprocessError) as error:
                self.drop(way, error)
                continue
            figures = json_of(done.stdout)
            self.quality[way.name] = figures["psnr_db_lowest"]
            self.rounds.sample("quality", way.name, crops=CROPS, **figures)

    def measure(self) -> None:
        for number in range(1, self.options.rounds + 1):
            for cores, form in CASES:
                for way in list(self.ways):
                    self.sample(way, cores, form, number)

    def sample(self, way: Way, cores: int, form: str, number: int) -> None:
        seconds = self.options.seconds
        more = ["--input", str(self.options.input), "--cores", str(cores), "--seconds",
                str(seconds), "--format", form]
        try:
            figures = json_of(run(way, more, cores, seconds))
        except (RuntimeError, subprocess.SubprocessError) as error:
            self.drop(way, error)
            return
        kept = {name: figures[name] for name in (RATE, CPU, "psnr_db") if name in figures}
        self.rounds.sample(case(cores, form), way.name, cores=cores, round=number, **kept)


def case(cores: int, form: str) -> str:
    return f"{form}, {cores} core{'s' if cores > 1 else ''}"


def compare(bench: Bench) -> None:
    rounds = bench.rounds
    peers = [way.name for way in bench.ways if way.name not in ("evener", "floor")]
    good = [name for name in peers if bench.quality.get(name, 0) >= GOOD_DB]
    for cores, form in CASES:
        what = case(cores, form)
        best = rounds.highest(what, good, RATE)
        for name in peers:
            bar = {best: 1.6, "torch_pil": 3}.get(name)
            rounds.ratio(what, RATE, "evener", name, at_least=bar)
            rounds.ratio(what, CPU, "evener", name)
        rounds.ratio(what, RATE, "evener", "floor", at_least=0.9)
        rounds.ratio(what, RATE, "floor", best)
    rounds.ratio(case(2, "f32"), RATE, "evener", "evener", what_theirs=case(1, "f32"), at_least=1.9)
    rounds.ratio(case(2, "f32"), RATE, "floor", "floor", what_theirs=case(1, "f32"))
    rounds.bar(case(1, "f32"), "evener", "psnr_db", at_least=GOOD_DB)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, required=True)
    parser.add_argument("--floor", type=Path, required=True, help="the built image_floor")
    parser.add_argument("--torch", type=Path, default=ROOT / ".venv-peers-torch")
    parser.add_argument("--tf", type=Path, default=ROOT / ".venv-peers-tf")
    parser.add_argument("--photos", type=Path, default=ROOT / "build/photo-packages")
    parser.add_argument("--input", type=Path, default=ROOT / "build/bench-data/images")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    return parser.parse_args()


def main() -> int:
    options = parse()
    rounds = Rounds("image")
    python = options.torch / "bin/python"
    if not python.exists() or not shutil.which("taskset"):
        rounds.skip(f"the images are made by {python}, which benchmarks/peers/setup.sh installs")
        return 0
    options.input.parent.mkdir(parents=True, exist_ok=True)
    made = subprocess.run([str(python), str(HERE / "dataset.py"), "--photos", str(options.photos),
                           "--output", str(options.input)], stdout=subprocess.PIPE, text=True,
                          check=False)
    if made.returncode != 0:
        rounds.skip("the images could not be made")
        return 0
    rounds.say(what="images", **json_of(made.stdout))
    bench = Bench(options, rounds)
    with tempfile.TemporaryDirectory(prefix="evener-image-bench-") as folder:
        bench.check_quality(Path(folder))
    bench.measure()
    compare(bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
