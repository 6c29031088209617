#!/usr/bin/env python3
"""Runs the example without groups, with groups, and with the data service, side by side.

    run.py [--evener build/evener] [--output build/demo] [--steps N]

Writes OUTPUT/report.md and OUTPUT/report.json; models are below OUTPUT/output.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tarfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

sys.path.insert(0, str(Path(__file__).resolve().parent))

from prepare_photos import prepare  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = Path(__file__).resolve().parent
CROPS_PER_PHOTOGRAPH = 12
JOB_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Run:
    """What one job came to."""

    kind: str
    job: str
    step_seconds: float
    wait_fraction: float
    accuracy: float
    groups: list[dict[str, Any]]
    usd_per_1000_steps: float | None
    seconds: float
    verdict: str
    notices: list[str]
    model: str
    output: str


def homogeneous(body: dict[str, Any]) -> dict[str, Any]:
    """The same job without groups: one instance of the training group's type does everything."""
    body = copy.deepcopy(body)
    resources = body["ResourceConfig"]
    training = resources.pop("InstanceGroups")[-1]
    resources["InstanceType"] = training["InstanceType"]
    resources["InstanceCount"] = training["InstanceCount"]
    del body["Environment"]["EVENER_AUXILIARY_GROUPS"]
    for channel in body["InputDataConfig"]:
        del channel["DataSource"]["S3DataSource"]["InstanceGroupNames"]
    return body


def serviced(body: dict[str, Any]) -> dict[str, Any]:
    """The heterogeneous job with evener.launch as its entry point: its workers need all labels,
    and every worker all photographs."""
    body = copy.deepcopy(body)
    body["HyperParameters"]["sagemaker_program"] = "start"
    for channel in body["InputDataConfig"]:
        source = channel["DataSource"]["S3DataSource"]
        source["S3DataDistributionType"] = "FullyReplicated"
        if channel["ChannelName"] == "labels":
            source["InstanceGroupNames"] = ["data_group", "dnn_group"]
    return body


def write_job(body: dict[str, Any], kind: str, photos: Path, output: Path, steps: int | None) -> Path:
    """The job's own file, with the paths of this machine and a name of its own."""
    body = copy.deepcopy(body)
    body["TrainingJobName"] = f"{kind}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}"
    body["HyperParameters"]["sagemaker_submit_directory"] = (EXAMPLE / "source").as_uri()
    if steps is not None:
        body["HyperParameters"]["steps"] = str(steps)
    for channel in body["InputDataConfig"]:
        source = channel["DataSource"]["S3DataSource"]
        source["S3Uri"] = (photos / channel["ChannelName"]).as_uri()
    body["OutputDataConfig"]["S3OutputPath"] = (output / "output").as_uri()
    path = output / f"{kind}.json"
    path.write_text(json.dumps(body, indent=2) + "\n")
    return path


def run_job(evener: Path, job: Path, home: Path, cpus_per_vcpu: float) -> dict[str, Any]:
    """Runs a job to its end, shows what its hosts print, and returns the summary."""
    environment = dict(os.environ, EVENER_HOME=str(home))
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    command = [str(evener), "train", str(job), "--json", "--fit", f"scaled:{cpus_per_vcpu}"]
    summary: dict[str, Any] = {}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            if event.get("event") == "summary":
                summary = event
            elif event.get("event") == "log":
                print(f"  {event.get('host', '')} | {event.get('text', '')}")
        code = process.wait(timeout=JOB_TIMEOUT_SECONDS)
    if code != 0 or summary.get("status") != "Completed":
        reason = summary.get("failure_reason") or f"exit code {code}"
        raise SystemExit(f"the job {job} did not complete: {reason}")
    return summary


def path_of(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path)) if uri.startswith("file://") else Path(uri)


def read_report(archive: Path) -> dict[str, Any]:
    """The report of the first training host, from the job's output.tar.gz."""
    with tarfile.open(archive) as tar:
        names = sorted(name for name in tar.getnames() if Path(name).name.startswith("report-"))
        member = tar.extractfile(names[0])
        assert member is not None
        return json.load(member)


def measure(kind: str, summary: dict[str, Any]) -> Run:
    output = path_of(summary["artifacts"]["output"])
    report = read_report(output)
    rates = [group["usd"] / group["billable_seconds"]
             for group in summary["groups"] if group.get("usd") is not None]
    priced = len(rates) == len(summary["groups"])
    step = report["step_seconds_mean"]
    return Run(
        kind=kind,
        job=summary["job"],
        step_seconds=step,
        wait_fraction=report["input_wait_fraction"],
        accuracy=report["accuracy_last"],
        groups=summary["groups"],
        usd_per_1000_steps=sum(rates) * step * 1000 if priced else None,
        seconds=sum(summary["phases"].get(name, 0) for name in
                    ("starting", "downloading", "training", "stopping", "uploading")),
        verdict=summary.get("verdict") or "",
        notices=summary.get("notices") or [],
        model=str(path_of(summary["artifacts"]["model"])),
        output=str(output),
    )


def usage_of(run: Run) -> str:
    return "; ".join(
        f"{group['name']} ({group['count']} x {group['type']}) {group['cpu_percent_mean']:.0f} %, "
        f"at most {group['cpu_percent_max']:.0f} %" for group in run.groups)


def report_text(runs: list[Run], cpus_per_vcpu: float, busy: float) -> str:
    """The comparison as a page of Markdown; `busy` is 0 on an idle machine."""
    cells = [
        ("step, mean", [f"{run.step_seconds * 1000:.1f} ms" for run in runs]),
        ("of which waiting for input", [f"{run.wait_fraction * 100:.0f} %" for run in runs]),
        ("CPU (100 % is one core)", [usage_of(run) for run in runs]),
        ("$ per 1000 steps", ["no price" if run.usd_per_1000_steps is None
                              else f"{run.usd_per_1000_steps:.4f}" for run in runs]),
        ("accuracy of the last steps", [f"{run.accuracy * 100:.0f} %" for run in runs]),
        ("whole job", [f"{run.seconds:.1f} s" for run in runs]),
        ("verdict", [run.verdict for run in runs]),
        ("model", [run.model for run in runs]),
    ]
    lines = ["# One training job, three ways", ""]
    lines.append("| | " + " | ".join(run.kind for run in runs) + " |")
    lines.append("|---|" + "---|" * len(runs))
    lines += [f"| {name} | " + " | ".join(values) + " |" for name, values in cells]
    lines.append("")
    for run in runs[1:]:
        faster = runs[0].step_seconds / run.step_seconds
        lines.append(f"A step of the {run.kind} job took 1/{faster:.2f} of the {runs[0].kind} one's.")
        if run.usd_per_1000_steps and runs[0].usd_per_1000_steps:
            ratio = run.usd_per_1000_steps / runs[0].usd_per_1000_steps
            lines.append(f"1000 steps of it cost {ratio:.2f} times as much.")
    lines += [
        "",
        f"Measured on this machine ({os.cpu_count()} CPUs) with {cpus_per_vcpu:g} CPUs for each "
        "vCPU of an instance type, so that every cluster fits; no accelerator: the network is "
        "trained in numpy. All instances share this machine's cores and memory. The ratio says "
        "what more CPUs do for the input of this job; prices are those of the real types.",
    ]
    if busy:
        lines += ["", f"Other programs were running: {busy:.1f} on {os.cpu_count()} CPUs when it "
                  "began. Measure again on an idle machine."]
    lines += [f"- {run.kind}: {notice}" for run in runs for notice in run.notices]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evener", type=Path, default=ROOT / "build/evener")
    parser.add_argument("--output", type=Path, default=ROOT / "build/demo")
    parser.add_argument("--photos", type=Path, default=ROOT / "build/photos")
    parser.add_argument("--steps", type=int, help="instead of those in job.json")
    options = parser.parse_args()
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    photos = options.photos.resolve()
    prepare(ROOT / "build/photo-packages", photos, CROPS_PER_PHOTOGRAPH)
    body = json.loads((EXAMPLE / "job.json").read_text())
    # 4 + 16 vCPUs on the CPUs that this machine has.
    cpus_per_vcpu = round(min(1.0, (os.cpu_count() or 1) / 20), 3)
    load = os.getloadavg()[0]
    busy = load if load > (os.cpu_count() or 1) else 0.0
    runs = []
    for kind, request in (("homogeneous", homogeneous(body)), ("heterogeneous", body),
                          ("serviced", serviced(body))):
        print(f"{kind} job:", flush=True)
        job = write_job(request, kind, photos, output, options.steps)
        runs.append(measure(kind, run_job(options.evener.resolve(), job, output / "home",
                                          cpus_per_vcpu)))
    text = report_text(runs, cpus_per_vcpu, busy)
    (output / "report.md").write_text(text)
    (output / "report.json").write_text(json.dumps(
        {"cpus_per_vcpu": cpus_per_vcpu, "runs": [asdict(run) for run in runs]}, indent=1) + "\n")
    print(f"\n{text}\nmodel:  {runs[-1].model}\noutput: {runs[-1].output}\n"
          f"report: {output / 'report.md'} (and report.json)")


if __name__ == "__main__":
    main()
