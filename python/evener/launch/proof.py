"""How training processes and data hosts tell each other who they are, a line each.

    data host:   evener-launch 1 <nonce>
    training:    {"rank": 0, "ranks": 2, "proof": "<HMAC-SHA256 of nonce, rank, ranks by the token>"}
    data host:   welcome
    training:    ended <exit code>
    data host:   goodbye

The token never travels, and who does not have it cannot end the data group.
"""

from __future__ import annotations

import hmac
import json
import secrets
from dataclasses import dataclass

GREETING = "evener-launch 1 "
WELCOME = b"welcome\n"
GOODBYE = b"goodbye\n"
MAX_LINE_BYTES = 512
MAX_RANKS = 1_000_000


def new_nonce() -> str:
    return secrets.token_hex(16)


def proof_of(token: str, nonce: str, rank: int, ranks: int) -> str:
    message = f"evener.launch {nonce} {rank} {ranks}".encode()
    return hmac.new(token.encode(), message, "sha256").hexdigest()


@dataclass(frozen=True)
class Claim:
    """Who a training process says it is, proved."""

    rank: int
    ranks: int


def claim_line(token: str, nonce: str, rank: int, ranks: int) -> bytes:
    claim = {"rank": rank, "ranks": ranks, "proof": proof_of(token, nonce, rank, ranks)}
    return json.dumps(claim).encode() + b"\n"


def read_claim(line: bytes, token: str, nonce: str) -> Claim | None:
    """None where the line is no claim or its proof is wrong."""
    try:
        value = json.loads(line)
        rank, ranks, proof = value["rank"], value["ranks"], value["proof"]
    except (ValueError, KeyError, TypeError):
        return None
    if type(rank) is not int or type(ranks) is not int or not isinstance(proof, str):
        return None
    if not 0 <= rank < ranks <= MAX_RANKS or not proof.isascii():
        return None
    return Claim(rank, ranks) if hmac.compare_digest(
        proof, proof_of(token, nonce, rank, ranks)) else None
