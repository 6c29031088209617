"""Who is who in a SageMaker job: which hosts prepare data, which train, and this process's rank.

    from evener.data import roles
    me = roles()
    me.data_hosts, me.training_hosts, me.rank, me.ranks

Every host of a job comes to the same answer without asking another, since each sorts the same
names. Outside a job the answer is one training host, this one.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CONFIG = Path("input/config/resourceconfig.json")
_HOMOGENEOUS = "homogeneousCluster"

# (rank, ranks, rank on its host, ranks on its host) as launchers of processes name them. mpirun
# before torchrun: one of the first may start the second, which then names its own.
_LAUNCHERS = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
)


class RolesError(RuntimeError):
    """The job's description is missing, damaged, or does not say which hosts prepare data."""


@dataclass(frozen=True)
class Roles:
    """The same on all hosts, but for the last six."""

    in_job: bool
    groups: dict[str, tuple[str, ...]]
    data_hosts: tuple[str, ...]  # empty in a job without a data group
    training_hosts: tuple[str, ...]
    current_host: str
    current_group: str
    # Of this process among those of its kind: the training processes, one for each host unless
    # mpirun or torchrun started more; on a data host, the data hosts.
    rank: int
    ranks: int
    local_rank: int
    local_ranks: int

    @property
    def is_data_host(self) -> bool:
        return self.current_host in self.data_hosts

    @property
    def dispatcher_host(self) -> str:
        """The first data host; the first training host where there is no data group."""
        return (self.data_hosts or self.training_hosts)[0]


def roles(
    data_groups: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Roles:
    """Reads resourceconfig.json, else the SM_* variables.

    Data groups are, by the first that says it: `data_groups`; EVENER_DATA_GROUPS and then
    EVENER_AUXILIARY_GROUPS in the environment, names separated by commas; the groups whose names
    begin with "data". Raises RolesError where a job of several groups leaves it open.
    """
    variables = os.environ if environment is None else environment
    config = _read_config(variables)
    if config is None:
        return _outside(variables)
    groups, current_host, current_group = config
    chosen = _choose_data_groups(groups, data_groups, variables)
    data = _sorted_hosts(host for name in chosen for host in groups[name])
    training = _sorted_hosts(
        host for name, hosts in groups.items() if name not in chosen for host in hosts)
    if current_host in data:
        place = (data.index(current_host), len(data), 0, 1)
    else:
        place = _launched_place(variables) or (training.index(current_host), len(training), 0, 1)
    return Roles(True, groups, data, training, current_host, current_group, *place)


Config = tuple[dict[str, tuple[str, ...]], str, str]


def _read_config(variables: Mapping[str, str]) -> Config | None:
    path = Path(variables.get("SAGEMAKER_BASE_DIR", "/opt/ml")) / _CONFIG
    try:
        return _config_of(_parsed(path.read_text(), str(path)), str(path))
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise RolesError(f"{path} cannot be read: {error.strerror}") from error
    if "SM_RESOURCE_CONFIG" in variables:
        value = _parsed(variables["SM_RESOURCE_CONFIG"], "SM_RESOURCE_CONFIG")
        return _with_own_name(_config_of(value, "SM_RESOURCE_CONFIG"), variables)
    if "SM_CURRENT_HOST" in variables and "SM_HOSTS" in variables:
        value = {
            "current_host": variables["SM_CURRENT_HOST"],
            "hosts": _parsed(variables["SM_HOSTS"], "SM_HOSTS"),
            "current_group_name": variables.get("SM_CURRENT_INSTANCE_GROUP", _HOMOGENEOUS),
            "instance_groups": list(
                _parsed(variables.get("SM_INSTANCE_GROUPS_DICT", "{}"),
                        "SM_INSTANCE_GROUPS_DICT").values()),
        }
        return _with_own_name(_config_of(value, "the SM_* variables"), variables)
    return None


def _parsed(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise RolesError(f"{source} is not JSON: {error}") from error


def _config_of(value: Any, source: str) -> Config:
    try:
        hosts = [str(host) for host in value["hosts"]]
        current = str(value["current_host"])
        listed = value.get("instance_groups") or []
        groups = {
            str(group["instance_group_name"]): _sorted_hosts(str(host) for host in group["hosts"])
            for group in listed
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise RolesError(f"{source} does not describe a job: {error!r}") from error
    if not groups:
        groups = {_HOMOGENEOUS: _sorted_hosts(hosts)}
    held = [name for name, members in groups.items() if current in members]
    if not held:
        raise RolesError(f"{source}: current_host {current!r} is in none of the groups {groups}")
    return groups, current, held[0]


def _with_own_name(config: Config, variables: Mapping[str, str]) -> Config:
    """mpirun hands the first host's SM_CURRENT_HOST to all; the machine's own name is right."""
    groups, current, group = config
    own = socket.gethostname()
    if _launched_place(variables) is not None:
        for name, hosts in groups.items():
            if own in hosts:
                return groups, own, name
    return groups, current, group


def _choose_data_groups(
    groups: dict[str, tuple[str, ...]],
    asked: Sequence[str] | None,
    variables: Mapping[str, str],
) -> list[str]:
    if asked is not None:
        return _checked_groups(list(asked), groups, "data_groups")
    for name in ("EVENER_DATA_GROUPS", "EVENER_AUXILIARY_GROUPS"):
        named = [part.strip() for part in variables.get(name, "").split(",") if part.strip()]
        if named:
            return _checked_groups(named, groups, name)
    if len(groups) == 1:
        return []
    found = [name for name in groups if name.lower().startswith("data")]
    if not found or len(found) == len(groups):
        raise RolesError(
            f"the job has the groups {', '.join(sorted(groups))}, and nothing says which of them "
            "prepare data; name them in the job's Environment, as EVENER_DATA_GROUPS=data_group")
    return found


def _checked_groups(
    named: list[str], groups: dict[str, tuple[str, ...]], source: str
) -> list[str]:
    for name in named:
        if name not in groups:
            raise RolesError(
                f"{source}: the job has no group {name!r}; it has {', '.join(sorted(groups))}")
    if set(named) == set(groups):
        raise RolesError(f"{source} names all groups of the job: none is left to train")
    return named


def _sorted_hosts(hosts: Any) -> tuple[str, ...]:
    """algo-2 before algo-10; a list may come in any order."""
    return tuple(sorted(
        dict.fromkeys(hosts),
        key=lambda host: [(not part.isdigit(), int(part) if part.isdigit() else 0, part)
                          for part in re.split(r"(\d+)", host) if part]))


def _launched_place(variables: Mapping[str, str]) -> tuple[int, int, int, int] | None:
    for names in _LAUNCHERS:
        if not (names[0] in variables and names[1] in variables):
            continue
        rank, ranks = (_number(variables, name) for name in names[:2])
        local = _number(variables, names[2]) if names[2] in variables else 0
        locals_ = _number(variables, names[3]) if names[3] in variables else 1
        if not (rank < ranks and local < locals_):
            raise RolesError(
                f"{names[0]}={rank} of {names[1]}={ranks}, {names[2]}={local} of "
                f"{names[3]}={locals_}: ranks count from 0 and are smaller than their number")
        return rank, ranks, local, locals_
    return None


def _number(variables: Mapping[str, str], name: str) -> int:
    text = variables[name]
    if not (text.isascii() and text.isdigit()):
        raise RolesError(f"{name}={text!r} is not a number")
    return int(text)


def _outside(variables: Mapping[str, str]) -> Roles:
    place = _launched_place(variables) or (0, 1, 0, 1)
    host = "localhost"
    return Roles(False, {_HOMOGENEOUS: (host,)}, (), (host,), host, _HOMOGENEOUS, *place)
