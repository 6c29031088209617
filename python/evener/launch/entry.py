"""What one host of a job does from its start to its end."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from evener.launch.announcement import Announcement
from evener.launch.endings import Endings, Patience, Verdict
from evener.launch.errors import LaunchError
from evener.launch.programs import (
    dispatcher_command, find_binary, find_token, script_command, worker_command)
from evener.launch.watch import Ended, Signalled, Watch, in_foreground, say
from evener.roles import Roles, RolesError, roles

SCRIPT, WORKER, DISPATCHER = "script", "worker", "dispatcher"
DEFAULT_PORT = 7100
START_SECONDS = 900.0   # as long as the training toolkit waits for the names of all hosts
LOST_SECONDS = 30.0
FAREWELL_SECONDS = 30.0
BIND_SECONDS = 60.0


@dataclass(frozen=True)
class Part:
    """What this process is in the job."""

    roles: Roles
    runs_script: bool
    runs_worker: bool
    runs_dispatcher: bool
    tells: tuple[str, ...]  # hosts that want to know how the script ended

    @property
    def hears(self) -> bool:
        """Whether it waits for the last words of the others."""
        return self.runs_dispatcher or not self.runs_script


def part_of(me: Roles) -> Part:
    if me.data_hosts:
        serves = me.is_data_host
        return Part(me, not serves, serves, serves and me.current_host == me.data_hosts[0],
                    () if serves else me.data_hosts)
    leads = me.local_rank == 0
    first = leads and me.current_host == me.dispatcher_host
    return Part(me, True, leads, first, () if first else (me.dispatcher_host,))


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _Host(part_of(roles()), options).run()
    except (LaunchError, RolesError) as error:
        say(str(error))
        return LaunchError.EXIT_CODE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evener.launch",
        description="Runs the script on training hosts and the data service on data hosts.")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, metavar="N",
                        help="the dispatcher's; N+1 the worker's, N+2 for the end of the job "
                        f"(default {DEFAULT_PORT})")
    parser.add_argument("--start-seconds", type=float, default=START_SECONDS, metavar="S",
                        help="data hosts wait so long for the training hosts "
                        f"(default {START_SECONDS:g})")
    parser.add_argument("--lost-seconds", type=float, default=LOST_SECONDS, metavar="S",
                        help="and so long for one that has gone without a word "
                        f"(default {LOST_SECONDS:g})")
    parser.add_argument("script", help="a .py file, or a program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    return parser


class _Host:
    def __init__(self, part: Part, options: argparse.Namespace) -> None:
        me = part.roles
        self._part = part
        self._options = options
        self._own_name = me.current_host if me.in_job else "127.0.0.1"
        first = me.dispatcher_host if me.in_job else "127.0.0.1"
        self._dispatcher = f"{first}:{options.port}"
        self._token = find_token(os.environ) or self._own_token()
        self._environment = dict(os.environ, EVENER_DATA_ADDRESS=self._dispatcher,
                                 EVENER_DATA_TOKEN=self._token)

    def _own_token(self) -> str:
        me = self._part.roles
        if me.ranks == 1 and not me.data_hosts:
            return secrets.token_hex(32)  # one process: nobody else needs to know it
        raise LaunchError("the hosts of this job share no secret: put EVENER_DATA_TOKEN, a random "
                          "text of at least 16 characters, into the job's Environment")

    def run(self) -> int:
        with Watch() as watch:
            endings = self._listen(watch) if self._part.hears else None
            self._start_programs(watch)
            announcements = self._announce()
            code = self._wait(watch, endings)
            for one in announcements:
                one.end(code, FAREWELL_SECONDS if code == 0 else FAREWELL_SECONDS / 6)
            for one in announcements:
                one.finish()
            if code == 0 and endings is not None and self._part.runs_script:
                endings.note_end(self._part.roles.rank, 0)
                code = self._wait_for_others(watch, endings)
            watch.stop_all()
            if endings is not None:
                endings.close()
            return code

    def _listen(self, watch: Watch) -> Endings:
        me = self._part.roles
        ranks = me.ranks if self._part.runs_script else len(me.training_hosts)
        server = _listening(self._own_name, self._options.port + 2)
        patience = Patience(start=self._options.start_seconds, lost=self._options.lost_seconds)
        return Endings(watch, server, self._token, ranks, patience)

    def _start_programs(self, watch: Watch) -> None:
        port = self._options.port
        commands: dict[str, list[str]] = {}
        if self._part.runs_worker:
            binary = find_binary(os.environ)
            address = _resolved(self._own_name)
            if self._part.runs_dispatcher:
                commands[DISPATCHER] = dispatcher_command(binary, address, port)
            commands[WORKER] = worker_command(binary, self._dispatcher, address, port + 1,
                                              self._own_name)
        if self._part.runs_script:
            commands[SCRIPT] = script_command(self._options.script, self._options.arguments)
        for name, command in commands.items():
            try:
                # What the service says is no output of the script.
                watch.start(name, command, self._environment,
                            output=None if name == SCRIPT else sys.stderr)
            except OSError as error:
                raise LaunchError(f"{command[0]} cannot be started: {error.strerror}") from error

    def _announce(self) -> list[Announcement]:
        me = self._part.roles
        hosts = self._part.tells if me.in_job else ["127.0.0.1"] * len(self._part.tells)
        return [Announcement((host, self._options.port + 2), self._token, me.rank, me.ranks)
                for host in hosts]

    def _wait(self, watch: Watch, endings: Endings | None) -> int:
        """Until this host's own work is over: its script's end, or the end of all scripts."""
        while True:
            hears = endings is not None and not self._part.runs_script
            event = watch.next(endings.seconds_left() if endings and hears else None)
            if isinstance(event, Signalled):
                if (code := self._signalled(watch, event.number)) is not None:
                    return code
            elif isinstance(event, Ended):
                return self._ended(event)
            if endings and hears and (code := self._judge(endings)) is not None:
                return code

    def _wait_for_others(self, watch: Watch, endings: Endings) -> int:
        while True:
            if (code := self._judge(endings)) is not None:
                return code
            event = watch.next(endings.seconds_left())
            if isinstance(event, Signalled):
                return 0
            if isinstance(event, Ended):
                return self._ended(event)

    def _signalled(self, watch: Watch, number: int) -> int | None:
        """The script decides what a signal means; the service's programs end by it."""
        if self._part.runs_script:
            if number != signal.SIGINT or not in_foreground():
                watch.send(SCRIPT, number)
            return None
        if number not in (signal.SIGTERM, signal.SIGINT):
            return None
        codes = [event.code for event in watch.stop_all(number)]
        return next((code for code in codes if code not in (0, 128 + number)), 0)

    def _ended(self, event: Ended) -> int:
        if event.name == SCRIPT:
            return event.code
        say(f"the {event.name} of the data service has ended with exit code {event.code}")
        return event.code or 1

    def _judge(self, endings: Endings) -> int | None:
        verdict = endings.verdict()
        if verdict is Verdict.RUNNING:
            return None
        if verdict is Verdict.ENDED:
            return 0
        missing = ", ".join(map(str, endings.missing()))
        say(f"{verdict.value}: rank {missing}; the data service ends")
        return 1


def _resolved(host: str) -> str:
    """Its address; a host's own name may resolve late."""
    deadline = time.monotonic() + BIND_SECONDS
    while True:
        try:
            return socket.gethostbyname(host)
        except OSError as error:
            if time.monotonic() >= deadline:
                raise LaunchError(f"{host} is not known: {error}") from error
            time.sleep(0.5)


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((_resolved(host), port), backlog=128)
    except OSError as error:
        raise LaunchError(f"cannot listen on {host}:{port}: {error.strerror}; --port names "
                          "another") from error
