# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the page need: Node.js, Chromium, and the packages of the lock file, installed once into a
folder of the build."""
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

SKIP = 77
LEAST_NODE = 18


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def node():
    program = shutil.which("node")
    if not program:
        skip("there is no node (Debian: npm)")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").split(".")[0]) < LEAST_NODE:
        skip(f"node {version.strip()} is older than {LEAST_NODE}")
    return program


def chromium():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        skip("there is no chromium (Debian: chromium)")
    return program


def packages(source, folder, name):
    """`npm ci` of a folder of the sources into one of the build, again only for another lock file. A test that
    wants the same folder at that moment waits."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        return _installed(source, folder, name)


def _installed(source, folder, name):
    lock = hashlib.sha256((source / "package-lock.json").read_bytes()).hexdigest()
    stamp = folder / "node_modules" / ".kaname_lock"
    if not stamp.exists() or stamp.read_text() != lock:
        for file in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(source / file, folder)
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            skip(f"npm ci of {name} failed; is there a network?\n{done.stderr[-800:]}")
        stamp.write_text(lock)
    return folder


def run_node(script, *arguments, packages_at, timeout=900, **more):
    env = dict(os.environ, KANAME_PAGE_PACKAGES=str(packages_at), KANAME_CHROMIUM=chromium(), **more)
    return subprocess.run([node(), script, *map(str, arguments)], env=env, timeout=timeout,
                          check=False).returncode
