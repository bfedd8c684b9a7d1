# SPDX-License-Identifier: GPL-2.0-or-later
"""MCPB bundles of the bridge, for hosts that install programs by a click: `make mcpb`.

    python3 mcpb/build.py FOLDER VERSION [ARCHITECTURE...]

One file for each architecture, FOLDER/ofono-mcp-ARCHITECTURE.mcpb. A bundle is a ZIP with a
manifest and one program, which needs glibc 2.36 or later and libsystemd, and loads libcurl.
For the other architecture a cross compiler of Debian is needed, and two of its packages are
fetched, into FOLDER; nothing is installed.

Source: modelcontextprotocol/mcpb, MANIFEST.md, version 0.3.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
PROGRAM = "server/ofono-mcp-bridge"
SOURCES = ["mcpb/bridge_main.c", "src/bridge/*.c", "src/http_client/*.c", "src/base/*.c"]
FETCHED = ["libyajl-dev", "libsystemd0"]        # of a foreign architecture
EPOCH = (1980, 1, 1, 0, 0, 0)                   # so that the same sources give the same file


@dataclass(frozen=True)
class Architecture:
    name: str           # as uname says it
    debian: str
    triplet: str


ARCHITECTURES = [Architecture("x86_64", "amd64", "x86_64-linux-gnu"),
                 Architecture("aarch64", "arm64", "aarch64-linux-gnu")]


def run(*command: str | Path, **more: Any) -> None:
    ended = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                           stdin=subprocess.DEVNULL, **more)
    if ended.returncode != 0:
        sys.exit(f"mcpb: {command[0]} failed:\n{ended.stdout}{ended.stderr}")


def manifest(version: str) -> dict[str, Any]:
    def value(name: str) -> str:
        return f"${{user_config.{name}}}"

    return {
        "manifest_version": "0.3",
        "name": "ofono-mcp",
        "display_name": "Phone (SMS through oFono)",
        "version": version,
        "description": "Text from the SIM card in your Linux phone, through its ofono-mcp.",
        "long_description": "A bridge from this computer to the ofono-mcp gateway on a Linux "
                            "phone. The phone decides what may be sent.",
        "author": {"name": "The ofono-mcp authors"},
        "license": "GPL-2.0-or-later",
        "server": {
            "type": "binary",
            "entry_point": PROGRAM,
            "mcp_config": {
                "command": f"${{__dirname}}/{PROGRAM}",
                "args": [],
                "env": {"OFONO_MCP_URL": value("url"), "OFONO_MCP_TOKEN": value("token"),
                        "OFONO_MCP_CA_FILE": value("ca_file")},
            },
        },
        "tools_generated": True,
        "user_config": {
            "url": {"type": "string", "title": "Address of the phone", "required": True,
                    "description": "ssh://phone, which needs no token; or the URL that "
                                   "\"ofono-mcp pair\" prints on the phone, such as "
                                   "https://192.168.1.20:9531/mcp"},
            "token": {"type": "string", "title": "Token", "sensitive": True, "required": False,
                      "description": "The token that \"ofono-mcp pair\" prints; not for ssh"},
            "ca_file": {"type": "file", "title": "Certificate", "required": False,
                        "description": "The phone's certificate, for an https address"},
        },
        "compatibility": {"platforms": ["linux"]},
    }


def fetch(architecture: Architecture, folder: Path) -> Path:
    """The libraries of a foreign architecture, from Debian; apt's own lists stay as they are."""
    root = folder / f"sysroot-{architecture.name}"
    done = root / "done"
    if done.exists():
        return root
    state = folder / "apt"
    for part in ("state/lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    apt = ["apt-get", "-q", "-o", f"APT::Architecture={architecture.debian}",
           "-o", f"APT::Architectures={architecture.debian}",
           "-o", f"Dir::State={state}/state", "-o", f"Dir::State::status={state}/status",
           "-o", f"Dir::Cache={state}/cache", "-o", "APT::Sandbox::User="]
    run(*apt, "update")
    run(*apt, "download", *FETCHED, cwd=state)
    for package in state.glob(f"*_{architecture.debian}.deb"):
        run("dpkg-deb", "-x", package, root)
    done.touch()
    return root


def link_options(architecture: Architecture, root: Path) -> list[str | Path]:
    """yajl goes into the program; libsystemd is everywhere where hosts run."""
    library = root / "usr" / "lib" / architecture.triplet
    systemd = next(iter(sorted([*library.glob("libsystemd.so.0"),
                                *(root / "lib" / architecture.triplet).glob("libsystemd.so.0")])))
    return [library / "libyajl_s.a", systemd, "-Wl,--allow-shlib-undefined",
            "-Wl,--gc-sections", "-Wl,--as-needed", "-s"]


def compile_program(architecture: Architecture, folder: Path, version: str) -> Path:
    native = architecture.name == platform.machine()
    compiler = os.environ.get("CC", "gcc") if native else f"{architecture.triplet}-gcc"
    root = Path("/") if native else fetch(architecture, folder)
    program = folder / architecture.name / Path(PROGRAM).name
    program.parent.mkdir(parents=True, exist_ok=True)
    # the headers of the libraries are the same for each architecture; libc's come first
    include = ["-idirafter", "/usr/include", "-idirafter",
               f"/usr/include/{platform.machine()}-linux-gnu"]
    sources = [file for pattern in SOURCES for file in sorted(PROJECT.glob(pattern))
               if file.name not in ("crypto.c", "client.c")]
    run(*compiler.split(), "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-ffunction-sections",
        f'-DOFONO_MCP_VERSION="{version}"', '-DPROGRAM_NAME="ofono-mcp"', '-DPROGRAM_PORT="9531"',
        f"-ffile-prefix-map={PROJECT}=.", "-Iinclude", "-Isrc",
        *include, "-o", program, *sources, *link_options(architecture, root), cwd=PROJECT)
    return program


def add(bundle: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    info = zipfile.ZipInfo(name, EPOCH)
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    bundle.writestr(info, content)


def build(architecture: Architecture, folder: Path, version: str) -> Path:
    program = compile_program(architecture, folder, version)
    file = folder / f"ofono-mcp-{architecture.name}.mcpb"
    with zipfile.ZipFile(file, "w") as bundle:
        text = json.dumps(manifest(version), indent=2) + "\n"
        add(bundle, "manifest.json", text.encode(), 0o644)
        add(bundle, PROGRAM, program.read_bytes(), 0o755)
        add(bundle, "LICENSE", (PROJECT / "LICENSE").read_bytes(), 0o644)
    return file


def main(folder: str, version: str, *names: str) -> None:
    for architecture in ARCHITECTURES:
        if not names or architecture.name in names:
            Path(folder).mkdir(parents=True, exist_ok=True)
            print(build(architecture, Path(folder).resolve(), version))


if __name__ == "__main__":
    main(*sys.argv[1:])
