# SPDX-License-Identifier: GPL-2.0-or-later
"""One emulated modem to try by hand: python3 -m modem --port 12345

Each line of input is an incoming message, `SENDER TEXT`; messages from ofonod are printed.
"""

from __future__ import annotations

import argparse
import sys

from . import Modem, Sim


class PrintingModem(Modem):
    def line(self, text: str) -> None:
        super().line(text)
        print(f"AT  {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="modem", description=__doc__)
    parser.add_argument("--port", type=int, default=12345)
    parser.add_argument("--pin", help="lock the SIM with this PIN")
    options = parser.parse_args()
    modem = PrintingModem("sim0", Sim.numbered(0, pin=options.pin), port=options.port)
    modem.start()
    print(f"listening on 127.0.0.1:{modem.port}", flush=True)
    for line in sys.stdin:
        sender, _, text = line.rstrip("\n").partition(" ")
        modem.deliver(sender, text)
    modem.stop()


if __name__ == "__main__":
    main()
