# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the packages of the lab importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
