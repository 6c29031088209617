"""roles() for the environments that jobs have: who prepares data, who trains, which rank."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from evener.roles import Roles, RolesError, roles

TWO_GROUPS = {"data_group": ["algo-2", "algo-1"], "dnn_group": ["algo-10", "algo-3"]}


def resource_config(current: str, groups: dict[str, list[str]]) -> dict[str, Any]:
    hosts = sorted(host for members in groups.values() for host in members)
    own = next((name for name, members in groups.items() if current in members), "nowhere")
    return {
        "current_host": current,
        "current_instance_type": "ml.c5.xlarge",
        "current_group_name": own,
        "hosts": hosts,
        "instance_groups": [
            {"instance_group_name": name, "instance_type": "ml.c5.xlarge", "hosts": members}
            for name, members in groups.items()],
        "network_interface_name": "eth0",
    }


def written(base: Path, config: Any) -> dict[str, str]:
    path = base / "input/config/resourceconfig.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(config if isinstance(config, str) else json.dumps(config))
    return {"SAGEMAKER_BASE_DIR": str(base)}


def roles_on(base: Path, current: str, groups: dict[str, list[str]], **more: str) -> Roles:
    return roles(environment={**written(base, resource_config(current, groups)), **more})


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """No file, whatever this machine has below /opt/ml."""
    return {"SAGEMAKER_BASE_DIR": str(tmp_path / "nothing")}


def test_every_host_of_two_groups_sees_the_same_job(tmp_path: Path) -> None:
    seen = {host: roles_on(tmp_path, host, TWO_GROUPS)
            for host in ("algo-1", "algo-2", "algo-3", "algo-10")}
    for one in seen.values():
        assert one.in_job
        assert one.data_hosts == ("algo-1", "algo-2")
        assert one.training_hosts == ("algo-3", "algo-10")
        assert one.dispatcher_host == "algo-1"
    assert [(seen[host].is_data_host, seen[host].rank, seen[host].ranks)
            for host in ("algo-1", "algo-2", "algo-3", "algo-10")] == [
                (True, 0, 2), (True, 1, 2), (False, 0, 2), (False, 1, 2)]
    assert seen["algo-3"].current_group == "dnn_group"


def test_a_job_without_groups_has_no_data_hosts(tmp_path: Path) -> None:
    me = roles_on(tmp_path, "algo-2", {"homogeneousCluster": ["algo-2", "algo-1"]})
    assert me.data_hosts == () and me.training_hosts == ("algo-1", "algo-2")
    assert me.dispatcher_host == "algo-1" and (me.rank, me.ranks) == (1, 2)


def test_a_file_from_before_groups_is_understood(tmp_path: Path) -> None:
    config = {"current_host": "algo-1", "hosts": ["algo-1", "algo-2"],
              "network_interface_name": "eth0"}
    me = roles(environment=written(tmp_path, config))
    assert me.current_group == "homogeneousCluster"
    assert me.training_hosts == ("algo-1", "algo-2") and me.rank == 0


def test_one_group_alone_trains_whatever_its_name(tmp_path: Path) -> None:
    me = roles_on(tmp_path, "algo-1", {"data_group": ["algo-1"]})
    assert me.data_hosts == () and me.training_hosts == ("algo-1",)


@pytest.mark.parametrize("variables", [
    {"EVENER_DATA_GROUPS": "readers"},
    {"EVENER_AUXILIARY_GROUPS": "readers"},
    {"EVENER_DATA_GROUPS": " readers ", "EVENER_AUXILIARY_GROUPS": "gpus"},
])
def test_the_environment_names_the_data_groups(tmp_path: Path, variables: dict[str, str]) -> None:
    groups = {"gpus": ["algo-1"], "readers": ["algo-2"]}
    me = roles_on(tmp_path, "algo-1", groups, **variables)
    assert me.data_hosts == ("algo-2",) and me.training_hosts == ("algo-1",)


def test_several_groups_may_prepare_data_and_several_train(tmp_path: Path) -> None:
    groups = {"a": ["algo-4"], "b": ["algo-1"], "c": ["algo-3"], "d": ["algo-2"]}
    environment = written(tmp_path, resource_config("algo-3", groups))
    me = roles(["a", "b"], environment)
    assert me.data_hosts == ("algo-1", "algo-4") and me.training_hosts == ("algo-2", "algo-3")
    assert (me.rank, me.ranks) == (1, 2)


def test_the_variables_of_the_toolkit_do_where_there_is_no_file(nowhere: dict[str, str]) -> None:
    config = json.dumps(resource_config("algo-3", TWO_GROUPS))
    whole = roles(environment={**nowhere, "SM_RESOURCE_CONFIG": config})
    groups = {name: {"instance_group_name": name, "hosts": hosts}
              for name, hosts in TWO_GROUPS.items()}
    parts = roles(environment={**nowhere, "SM_CURRENT_HOST": "algo-3",
                               "SM_CURRENT_INSTANCE_GROUP": "dnn_group",
                               "SM_HOSTS": '["algo-1","algo-10","algo-2","algo-3"]',
                               "SM_INSTANCE_GROUPS_DICT": json.dumps(groups)})
    assert whole == parts
    assert whole.data_hosts == ("algo-1", "algo-2") and whole.rank == 0


def test_processes_of_mpirun_have_the_ranks_that_it_gives(tmp_path: Path) -> None:
    mpi = {"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8",
           "OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}
    me = roles_on(tmp_path, "algo-10", TWO_GROUPS, **mpi)
    assert (me.rank, me.ranks, me.local_rank, me.local_ranks) == (5, 8, 1, 4)
    # A data host is no part of the ring, even where its variables say so.
    data = roles_on(tmp_path, "algo-1", TWO_GROUPS, **mpi)
    assert (data.rank, data.ranks) == (0, 2)


def test_processes_of_torchrun_have_the_ranks_that_it_gives(tmp_path: Path) -> None:
    torch = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
    me = roles_on(tmp_path, "algo-10", TWO_GROUPS, **torch)
    assert (me.rank, me.ranks, me.local_rank, me.local_ranks) == (3, 4, 1, 2)
    outer = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
    assert roles_on(tmp_path, "algo-10", TWO_GROUPS, **torch, **outer).rank == 3


def test_under_mpirun_the_first_hosts_name_in_the_variables_is_not_believed(
    nowhere: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "algo-10")
    variables = {**nowhere, "SM_RESOURCE_CONFIG": json.dumps(resource_config("algo-3", TWO_GROUPS)),
                 "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
    assert roles(environment=variables).current_host == "algo-10"


def test_outside_a_job_this_process_is_the_one_that_trains(nowhere: dict[str, str]) -> None:
    me = roles(environment=nowhere)
    assert not me.in_job and not me.is_data_host
    assert (me.rank, me.ranks, me.data_hosts) == (0, 1, ())
    several = roles(environment={**nowhere, "OMPI_COMM_WORLD_RANK": "1",
                                 "OMPI_COMM_WORLD_SIZE": "2"})
    assert (several.rank, several.ranks) == (1, 2)


def test_addresses_instead_of_names_sort_by_their_numbers(tmp_path: Path) -> None:
    groups = {"data": ["127.0.1.12", "127.0.1.3"], "gpus": ["127.0.1.4"]}
    assert roles_on(tmp_path, "127.0.1.4", groups).data_hosts == ("127.0.1.3", "127.0.1.12")


@pytest.mark.parametrize("groups, variables, words", [
    ({"a": ["algo-1"], "b": ["algo-2"]}, {}, "EVENER_DATA_GROUPS"),
    ({"data1": ["algo-1"], "data2": ["algo-2"]}, {}, "EVENER_DATA_GROUPS"),
    ({"a": ["algo-1"], "b": ["algo-2"]}, {"EVENER_DATA_GROUPS": "c"}, "no group 'c'"),
    ({"a": ["algo-1"], "b": ["algo-2"]}, {"EVENER_DATA_GROUPS": "a,b"}, "none is left to train"),
    ({"a": ["algo-1"]}, {"EVENER_DATA_GROUPS": "a"}, "none is left to train"),
    ({"a": ["algo-1"]}, {"OMPI_COMM_WORLD_RANK": "x", "OMPI_COMM_WORLD_SIZE": "2"},
     "OMPI_COMM_WORLD_RANK='x' is not a number"),
    ({"a": ["algo-1"]}, {"RANK": "2", "WORLD_SIZE": "2"}, "ranks count from 0"),
])
def test_what_is_open_or_wrong_is_said(
    tmp_path: Path, groups: dict[str, list[str]], variables: dict[str, str], words: str
) -> None:
    with pytest.raises(RolesError, match=words):
        roles_on(tmp_path, "algo-1", groups, **variables)


@pytest.mark.parametrize("text, words", [
    ("{", "is not JSON"),
    ("[]", "does not describe a job"),
    ('{"hosts": ["algo-1"]}', "does not describe a job: KeyError"),
    ('{"hosts": ["algo-1"], "current_host": "algo-9"}', "in none of the groups"),
    ('{"hosts": ["algo-1"], "current_host": "algo-1", "instance_groups": [3]}',
     "does not describe a job"),
])
def test_a_damaged_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(RolesError, match=words) as raised:
        roles(environment=written(tmp_path, text))
    assert "resourceconfig.json" in str(raised.value)
