# SPDX-License-Identifier: GPL-2.0-or-later
"""A private bus, the real ofonod, emulated modems and the gateway, in one folder."""

from .lab import Lab
from .mcp_client import Answer, McpClient
from .wait import wait_until

__all__ = ["Answer", "Lab", "McpClient", "wait_until"]
