#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a source tree against its tests/conventions/layers.txt and the rules on files.

Usage: check_layers.py [root]. Prints one line per fault and exits with 1 when there is any.
"""
import pathlib
import re
import sys

TOPS = ("proto", "server", "worker", "client", "solvers")
SOURCES = (".hpp", ".cpp", ".cu", ".cuh")
WARN_LINES, MAX_LINES = 400, 800
# Third-party or generated header -> the only files (path prefixes) that may name it.
GATES = {
    r"mpi\.h": ("solvers/comm/mpi/", "worker/compute/main.cpp"),
    r"(hdf5|H5)\w*\.h": ("solvers/h5/",),
    r"proj\.h": ("solvers/earth/",),
    r"metis\.h": ("solvers/mesh/",),
    r"libmseed\.h": ("solvers/io/waveforms/",),
    r"yaml-cpp/.*": ("proto/request/form/yaml_", "proto/request/campaign/"),
    r"omp\.h": ("solvers/device/", "solvers/parallel/"),
    r"(cuda|cub|nvml).*|mma\.h": ("solvers/device/cuda/",),
    r"nlohmann/.*": ("worker/run/", "client/", "server/run/daemon/", "server/run/backup/",
                     "server/web/gateway/", "solvers/fault/slip_model/read_geojson.cpp"),
    r"CLI/.*": ("worker/command/command.cpp",),
    r"libpq-fe\.h": ("server/store/postgres/",),
    r"microhttpd\.h|gnutls/.*": ("server/web/http/server.cpp", "server/web/http/exchange."),
    r"httplib\.h": ("tests/",),
    r"proto/kaname/v1/\w+\.grpc\.pb\.h": ("server/grpc/", "worker/agent/lease/", "client/lib/"),
    r"(grpcpp|grpc)/.*": ("proto/status/", "server/grpc/", "server/web/gateway/", "server/main.cpp",
                         "worker/agent/lease/", "client/lib/"),
}
SNAKE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*\.(hpp|cpp|cuh?|py|sh)")


def read_table(path):
    """module -> modules it may include, full names."""
    table = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            module, deps = line.split(":")
            top = module.split("/")[0]
            table[module] = [d if "/" in d else f"{top}/{d}" for d in deps.split()]
    return table


def cycle_faults(table):
    done, faults = set(), []

    def visit(module, path):
        if module in path:
            faults.append(f"layers.txt: cycle {' -> '.join(path + (module,))}")
        elif module not in done:
            for dep in table.get(module, ()):
                visit(dep, path + (module,))
            done.add(module)

    for module in table:
        visit(module, ())
    return faults


def module_of(path, table):
    """The deepest folder of the path that is a module, else its first two folders."""
    parts = path.split("/")[:-1]
    for depth in range(len(parts), 2, -1):
        if "/".join(parts[:depth]) in table:
            return "/".join(parts[:depth])
    return "/".join(path.split("/")[:2])


def include_faults(path, text, table):
    faults = []
    top, module = path.split("/")[0], module_of(path, table)
    is_main = path.endswith("/main.cpp")
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not include:
            continue
        place, (mark, name) = f"{path}:{number}", include.groups()
        for gate, allowed in GATES.items():
            if top != "tests" and re.fullmatch(gate, name) and not path.startswith(allowed):
                faults.append(f"{place}: <{name}> only in {', '.join(allowed)}")
        if mark == "<" or top == "tests":
            continue
        target = module_of(name, table)
        own = target == module or (is_main and name.startswith(top + "/"))
        if name.split("/")[0] not in TOPS:
            faults.append(f'{place}: "{name}" is not named from the root of the repository')
        elif not own and target not in table.get(module, ()):
            faults.append(f'{place}: {module} must not include "{name}" (layers.txt)')
    return faults


def check_tree(root):
    """Returns (faults, warnings), each a list of lines."""
    table = read_table(root / "tests/conventions/layers.txt")
    faults, warnings = cycle_faults(table), []
    files = [p for top in TOPS + ("tests", "deploy") for p in sorted((root / top).rglob("*"))]
    for file in files:
        path = file.relative_to(root).as_posix()
        if not file.is_file() or file.suffix not in SOURCES + (".py", ".sh"):
            continue
        text = file.read_text()
        head = text.splitlines()[:2]
        if not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in head):
            faults.append(f"{path}:1: no line SPDX-License-Identifier: BSD-3-Clause")
        # Python marks what is its own, and packages, by underscores.
        name = re.sub(r"^_+|_+(?=\.py$)", "", file.name) if file.suffix == ".py" else file.name
        if not SNAKE.fullmatch(name):
            faults.append(f"{path}: file names are snake_case")
        count = text.count("\n")
        if count > WARN_LINES:
            (faults if count > MAX_LINES else warnings).append(
                f"{path}: {count} lines, aim for {WARN_LINES}, never above {MAX_LINES}")
        if file.suffix not in SOURCES:
            continue
        if path.split("/")[0] in TOPS and module_of(path, table) not in table:
            faults.append(f"{path}: module {module_of(path, table)} is not in layers.txt")
        if file.suffix in (".hpp", ".cuh") and "#pragma once" not in text:
            faults.append(f"{path}: no #pragma once")
        faults += include_faults(path, text, table)
    return faults, warnings


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    faults, warnings = check_tree(root)
    for line in warnings:
        print(f"warning: {line}")
    for line in faults:
        print(line)
    print(f"{len(faults)} faults, {len(warnings)} warnings")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
