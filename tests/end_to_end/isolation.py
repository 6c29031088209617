"""Which isolation the suite runs under: EVENER_TEST_ISOLATION=plain runs it where namespaces are
not used, and skips what only namespaces can keep apart."""

from __future__ import annotations

import os

import pytest

CHOSEN = os.environ.get("EVENER_TEST_ISOLATION", "")
PLAIN = CHOSEN == "plain"


def needs_namespaces(why: str) -> pytest.MarkDecorator:
    """For tests of what plain isolation cannot give; `why` completes 'under plain isolation'."""
    return pytest.mark.skipif(PLAIN, reason=f"under plain isolation {why}")
