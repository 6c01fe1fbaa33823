# SPDX-License-Identifier: BSD-3-Clause
"""kaname-server as a program: start, crash, restart, stop, with its private PostgreSQL."""
import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from free_ports import free_ports

BIN = pathlib.Path(sys.argv[1])
SKIP = 77
failed = 0


def check(fact, holds, detail=""):
    global failed
    print(f"{'ok   ' if holds else 'FAIL '} {fact}", flush=True)
    if not holds:
        failed += 1
        print(f"      | {detail}", flush=True)


def wait_until(what, seconds, condition):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)
    raise TimeoutError(f"{what}: not within {seconds} s\n{log()}")


def log():
    return (state / "server.log").read_text() if (state / "server.log").exists() else "(no log)"


def answers(address):
    host, port = address.rsplit(":", 1)
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def client():
    """What client.json says, once the server that wrote it answers."""
    try:
        told = json.loads((state / "client.json").read_text())
    except (OSError, ValueError):
        return None
    return told if answers(told["listen"]) else None


def start(listen="127.0.0.1:0"):
    (state / "server.log").unlink(missing_ok=True)
    with open(state / "server.log", "w") as out:
        server = subprocess.Popen([BIN / "kaname-server", "--state", state, "--workers", "0",
                                   "--listen", listen], stdin=subprocess.DEVNULL, stderr=out)
    wait_until("server is up", 60, lambda: "serving on" in log() or server.poll() is not None)
    return server


def run(*arguments, **kwargs):
    return subprocess.run([BIN / "kaname-server", *arguments], capture_output=True, text=True,
                          timeout=120, **kwargs)


def postmaster():
    try:
        pid = int((state / "postgres/postmaster.pid").read_text().split("\n")[0])
        status = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, ValueError):  # also while the file is still empty
        return None
    return None if status == "Z" else pid


def kill(server):
    server.send_signal(signal.SIGKILL)
    server.wait()


def first_start():
    """With a port that nothing else is given while no server has it, so that later ones find it."""
    server = start(f"127.0.0.1:{free_ports(1)[0]}")
    told = client()
    check("the first start tells clients where it listens", told is not None, log())
    for name in ("client.json", "worker.token"):
        mode = stat.S_IMODE((state / name).stat().st_mode)
        check(f"{name} is its owner's alone", mode == 0o600, oct(mode))
    second = run("--state", str(state))
    check("a second server on the folder is refused and names the first",
          second.returncode == 6 and f"pid {server.pid}" in second.stderr, second.stderr)
    return server, told


def crashes(server, told):
    cluster = postmaster()
    kill(server)
    check("the database outlives a killed server", postmaster() == cluster)
    server = start()
    check("the next server adopts it", postmaster() == cluster and "adopted" in log(), log())
    check("address and token are as before", client() == told, log())

    os.kill(postmaster(), signal.SIGKILL)
    wait_until("restarted database", 30, lambda: postmaster() not in (None, cluster))
    check("a killed database is started again", server.poll() is None, log())

    cluster = postmaster()
    kill(server)
    os.kill(cluster, signal.SIGKILL)
    server = start()
    check("server and database start after both were killed", client() == told, log())
    return server


def taken_port(server, told):
    kill(server)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        host, port = told["listen"].rsplit(":", 1)
        other.bind((host, int(port)))
        other.listen()
        server = start()
        now = client()
        check("another program's port is not fought for",
              now is not None and now["listen"] != told["listen"], log())
    return server


def stops(server):
    server.send_signal(signal.SIGTERM)
    check("SIGTERM ends the server well", server.wait(60) == 0, log())
    check("its database ends with it", postmaster() is None)
    check("server.pid is gone", not (state / "server.pid").exists())

    server = start()
    done = run("stop", "--state", str(state))
    check("stop ends a running server", done.stdout == "stopped\n" and server.wait(60) == 0,
          done.stderr)
    kill(start())
    done = run("stop", "--state", str(state))
    check("stop ends what a killed server left", done.stdout == "stopped\n", done.stderr)
    check("nothing runs any more", postmaster() is None)
    done = run("stop", "--state", str(state))
    check("stop is content when nothing runs",
          (done.returncode, done.stdout) == (0, "nothing was running\n"), done.stderr)


def refusals():
    done = run("--state", str(state), "--listen", "7000")
    check("a listen address without host is refused with the rule",
          done.returncode == 2 and "HOST:PORT" in done.stderr, done.stderr)
    done = run("--state", str(state), "--embedded", "--database", "host=/nowhere")
    check("--embedded and --database exclude each other", done.returncode == 2, done.stderr)
    done = run("--state", str(state), "--database", f"host={work}")
    check("a database out of reach is named", done.returncode == 5 and str(work) in done.stderr,
          done.stderr)
    done = run("migrate", "--check", "--state", str(state))
    check("the schema of a used database is up to date",
          done.returncode == 0 and "up to date" in done.stdout, done.stdout + done.stderr)


if not (BIN / "kaname-server").exists():
    print(f"kaname-server is not built in {BIN}")
    sys.exit(SKIP)
work = pathlib.Path(tempfile.mkdtemp(prefix="kaname-server-"))
work.chmod(0o755)  # the database's user must be able to reach its folder
state = work / "state"
state.mkdir()
try:
    the_server, the_client = first_start()
    the_server = crashes(the_server, the_client)
    the_server = taken_port(the_server, the_client)
    stops(the_server)
    refusals()
finally:
    run("stop", "--state", str(state))
    shutil.rmtree(work, ignore_errors=True)
sys.exit(1 if failed else 0)
