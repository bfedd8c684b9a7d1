# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults that strike the system while clients use it: a table, drawn from with a seed.

A blow leaves everything as it was, except for what it was meant to show.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from lab import wait_until
from modem.modem import HOME, SEARCHING
from world import World

GATEWAY, OFONO = "gateway", "ofono"         # who receives nothing meanwhile
HOUR_S, DAY_S = 3600, 86400
SOON_S, LATE_S = 1, 2_147_558_400           # 1970-01-01, 2038-01-20: the ends of 32 bits
LEAVES = (0, 0, 4096, 2 << 20)              # free octets on a full disk
READ_ONLY_S = 10


@dataclass(frozen=True)
class Blow:
    name: str
    strike: Callable[[World, random.Random], None]
    weight: int = 1
    ends_ofono: bool = False        # ofonod resends what was in progress
    plugin_only: bool = False       # without the plugin nobody could say what should arrive


def pause(dice: random.Random, least_s: float, most_s: float) -> None:
    """The seed decides when things break."""
    time.sleep(dice.uniform(least_s, most_s))


def kill_gateway(world: World, dice: random.Random) -> None:
    world.lab.gateway.kill()
    pause(dice, 0, 1.5)
    world.start_gateway()


def kill_gateway_again(world: World, dice: random.Random) -> None:
    """During recovery."""
    world.lab.gateway.kill()
    for _ in range(dice.randint(1, 4)):
        world.launch_gateway()
        pause(dice, 0, 0.2)
        world.lab.gateway.kill()
    world.start_gateway()


def kill_ofonod(world: World, dice: random.Random) -> None:
    world.lab.ofonod.kill()
    pause(dice, 0, 1)
    world.start_ofonod()


def kill_both(world: World, dice: random.Random) -> None:
    world.lab.gateway.kill()
    pause(dice, 0, 0.3)
    world.lab.ofonod.kill()
    pause(dice, 0, 0.5)
    world.launch_gateway()
    world.start_ofonod()
    world.wait_gateway()


def restart_bus(world: World, dice: random.Random) -> None:
    world.restart_bus()


def fill_disk(world: World, dice: random.Random) -> None:
    world.fill_disk(dice.choice(LEAVES))
    pause(dice, 1, 3)
    world.empty_disk()


def read_only_disk(world: World, dice: random.Random) -> None:
    """At a start: a gateway that cannot write must not pretend to work."""
    gateway = world.lab.gateway
    gateway.kill()
    world.remount(read_only=True)
    world.launch_gateway()
    wait_until(lambda: not gateway.is_running, READ_ONLY_S, "it says no and ends")
    world.remount(read_only=False)
    world.start_gateway()


def jump_clock(world: World, dice: random.Random) -> None:
    now_s = time.time()
    world.clock.set(dice.choice((HOUR_S, -HOUR_S, 400 * DAY_S, -30 * DAY_S,
                                 SOON_S - now_s, LATE_S - now_s)))
    pause(dice, 1, 3)
    world.clock.set(0)


def suspend_gateway(world: World, dice: random.Random) -> None:
    world.lab.gateway.send_signal(signal.SIGSTOP)
    pause(dice, 0.5, 3)
    world.lab.gateway.send_signal(signal.SIGCONT)


def suspend_ofonod(world: World, dice: random.Random) -> None:
    world.lab.ofonod.pause()
    pause(dice, 0.5, 3)
    world.lab.ofonod.resume()


def lose_network(world: World, dice: random.Random) -> None:
    modem = dice.choice(world.lab.modems)
    modem.set_registration(SEARCHING)
    pause(dice, 0.5, 2)
    modem.set_registration(HOME)


BLOWS = (
    Blow("gateway killed", kill_gateway, weight=4),
    Blow("gateway killed while it starts", kill_gateway_again, weight=2),
    Blow("ofonod killed", kill_ofonod, weight=2, ends_ofono=True),
    Blow("gateway and ofonod killed", kill_both, weight=2, ends_ofono=True),
    Blow("bus restarted", restart_bus, ends_ofono=True),
    Blow("disk full", fill_disk, weight=2),
    Blow("disk read-only at a start", read_only_disk),
    Blow("clock set", jump_clock, weight=2, plugin_only=True),
    Blow("gateway stopped and continued", suspend_gateway, weight=2),
    Blow("ofonod stopped and continued", suspend_ofonod),
    Blow("network lost", lose_network),
)


def draw(dice: random.Random, plugin: bool) -> list[Blow]:
    """Each at least once, heavier ones more often, in random order."""
    drawn = [blow for blow in BLOWS for _ in range(blow.weight)
             if plugin or not blow.plugin_only]
    dice.shuffle(drawn)
    return drawn
