"""The training group: takes batches, trains the network, reports what a step took."""

from __future__ import annotations

import csv
import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

import numpy as np

from averaging import Averaging
from cluster import Cluster, channel
from feeding import RemoteReader
from network import Network
from photos import IMAGE_SIZE, Batch, PhotoReader

METRICS_FILE = Path("output/metrics/sagemaker/metrics.json")
# The first steps fill queues and caches; they are trained on but not reported.
WARM_UP_STEPS = 5


class Reader(Protocol):
    def next(self) -> Batch: ...


class MetricsFile:
    """One JSON object a line, as the platform reads them."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", buffering=1)

    def write(self, name: str, value: float, step: int) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        line = {"MetricName": name, "Value": value, "Timestamp": now, "IterationNumber": step}
        self._file.write(json.dumps(line) + "\n")


def read_labels() -> dict[str, int]:
    with (channel("labels") / "labels.csv").open(newline="") as file:
        return {row["file"]: int(row["label"]) for row in csv.DictReader(file)}


def make_reader(cluster: Cluster, batch_size: int, seed: int) -> Reader:
    """The only difference between the kinds of job: where photographs are decoded, and by what."""
    if "EVENER_DATA_ADDRESS" in os.environ:  # set by evener.launch
        from serviced import ServiceReader
        return ServiceReader(batch_size, seed)
    if cluster.data_hosts:
        return RemoteReader(cluster.data_hosts)
    return PhotoReader(channel("raw"), batch_size, cluster.cpus, seed + cluster.rank)


def train(cluster: Cluster, batch_size: int, steps: int, rate: float, seed: int) -> None:
    labels = read_labels()
    network = Network(IMAGE_SIZE, max(labels.values()) + 1, seed)
    ml = Path(os.environ["SM_OUTPUT_DIR"]).parent
    metrics = MetricsFile(ml / METRICS_FILE)
    averaging = Averaging(cluster)
    reader = make_reader(cluster, batch_size, seed)
    waits, times, losses, accuracies = [], [], [], []
    for step in range(steps):
        begin = time.perf_counter()
        batch = reader.next()
        waited = time.perf_counter() - begin
        classes = batch.labels
        if classes is None:
            classes = np.array([labels[name] for name in batch.names])
        loss, accuracy, gradients = network.gradients(batch.pixels, classes)
        network.step(averaging.average(gradients), rate)
        took = time.perf_counter() - begin
        losses.append(loss)
        accuracies.append(accuracy)
        if step >= WARM_UP_STEPS:
            waits.append(waited)
            times.append(took)
            metrics.write("input_wait_seconds", waited, step)
            metrics.write("step_seconds", took, step)
        if step % 20 == 19:
            print(f"step {step + 1}: loss {loss:.3f}, {took * 1000:.1f} ms, of which "
                  f"{waited * 1000:.1f} ms waiting for input", flush=True)
    write_results(cluster, network, {
        "host": cluster.current_host,
        "heterogeneous": bool(cluster.data_hosts),
        "cpus": cluster.cpus,
        "batch_size": batch_size,
        "steps": steps,
        "steps_measured": len(times),
        "step_seconds_mean": float(np.mean(times)),
        "step_seconds_median": float(np.median(times)),
        "input_wait_seconds_mean": float(np.mean(waits)),
        "input_wait_fraction": float(np.sum(waits) / np.sum(times)),
        "loss_first": float(np.mean(losses[:5])),
        "loss_last": float(np.mean(losses[-5:])),
        "accuracy_last": float(np.mean(accuracies[-10:])),
    })


def write_results(cluster: Cluster, network: Network, report: dict[str, object]) -> None:
    """The model once, since it is the same on every training host; a report from each."""
    if cluster.rank == 0:
        np.savez(Path(os.environ["SM_MODEL_DIR"]) / "model.npz", **network.parameters)
    path = Path(os.environ["SM_OUTPUT_DATA_DIR"]) / f"report-{cluster.current_host}.json"
    path.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report), flush=True)
