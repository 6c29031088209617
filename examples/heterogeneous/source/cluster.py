"""Who is who in this job, from the SM_* variables."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

DATA_GROUP = "data_group"
TRAINING_GROUP = "dnn_group"


@dataclass(frozen=True)
class Cluster:
    current_host: str
    current_group: str
    data_hosts: list[str]       # empty in a homogeneous job
    training_hosts: list[str]
    cpus: int

    @property
    def rank(self) -> int:
        """The place of this host among those of its own kind."""
        own = self.data_hosts if self.current_group == DATA_GROUP else self.training_hosts
        return own.index(self.current_host)


def read_cluster() -> Cluster:
    groups = {
        name: group["hosts"]
        for name, group in json.loads(os.environ["SM_INSTANCE_GROUPS_DICT"]).items()
    }
    current_group = os.environ["SM_CURRENT_INSTANCE_GROUP"]
    if DATA_GROUP in groups and TRAINING_GROUP in groups:
        data_hosts, training_hosts = groups[DATA_GROUP], groups[TRAINING_GROUP]
    elif len(groups) == 1:
        data_hosts, training_hosts = [], json.loads(os.environ["SM_HOSTS"])
    else:
        raise SystemExit(f"want the groups {DATA_GROUP} and {TRAINING_GROUP}, or none: {groups}")
    return Cluster(
        current_host=os.environ["SM_CURRENT_HOST"],
        current_group=current_group,
        data_hosts=data_hosts,
        training_hosts=training_hosts,
        cpus=int(os.environ["SM_NUM_CPUS"]),
    )


def channel(name: str) -> Path:
    return Path(os.environ[f"SM_CHANNEL_{name.upper()}"])
