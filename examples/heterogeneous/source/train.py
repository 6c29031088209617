"""The one entry point of every host: what it does depends on the group it is in.

In a job with the groups data_group and dnn_group the first decodes and augments photographs and
streams batches, the second trains. In a job without groups the training process decodes as well.
Under evener.launch (see start) only training hosts come here, and batches come from its service.
"""

from __future__ import annotations

import argparse
import os

# One thread for the small matrices here; the CPUs belong to the decoding threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from cluster import DATA_GROUP, read_cluster  # noqa: E402
from feeding import feed  # noqa: E402
from training import WARM_UP_STEPS, train  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.steps <= WARM_UP_STEPS:
        parser.error(f"--steps must be more than {WARM_UP_STEPS}")
    cluster = read_cluster()
    if cluster.current_group == DATA_GROUP:
        feed(cluster, options.batch_size, options.seed)
    else:
        train(cluster, options.batch_size, options.steps, options.rate, options.seed)


if __name__ == "__main__":
    main()
