# SPDX-License-Identifier: GPL-2.0-or-later
"""The program with the conformance runner's tools in addition to the gateway's own, without a
bus."""

from __future__ import annotations

import os
from pathlib import Path

from lab.gateway import BINARY
from lone_gateway import LoneGateway

RELEASE = Path(os.environ.get("GATEWAY_BINARY", BINARY))
FIXTURES = RELEASE.with_name("ofono-mcp-fixtures")


class FixtureGateway(LoneGateway):
    def __init__(self, open: bool = True, **server: int | str) -> None:
        super().__init__(open, **server)
        self.binary = FIXTURES
