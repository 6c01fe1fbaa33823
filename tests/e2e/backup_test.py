#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Backup of a server that works, and what a restored one has: jobs, bytes, tokens and work to do.

Usage: backup_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from service_harness import (BAD_INPUT, NOT_FOUND, SOME_FAILED, STATE, Facts, Service,
                             running_service, wait_until)

PATIENCE_S = 120
LEASE_S = "4"  # after which a restored server begins again what ran


def text_of(done):
    return done.stdout + done.stderr


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def slow_request(service, data):
    """Two packs of a second or more each."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": "name: slow", "rake_deg: [0, 90]": "n_strike: 2\n    n_dip: 2",
                     "size_at_fault_km: 10, size_far_km: 40": "size_at_fault_km: 2.5, size_far_km: 30",
                     "step_years: 1, end_years: 3": "step_years: 0.2, end_years: 3"}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = service.work / "slow.yaml"
    path.write_text(text)
    return path


def rows_of(service):
    """Jobs as the list has them; of those that run, what does not change from call to call."""
    return [{key: row[key] for key in (row if row["state"] == "done" else ("id", "title", "state"))}
            for row in service.json("list")["jobs"]]


def backup_facts(facts, service, data):
    """Backs up while a job runs, which is cancelled afterwards."""
    token = service.call("token", "make", "vera", "--role", "viewer")
    done = service.json("submit", data / "tiny.yaml", "--wait", "--output", "tiny")
    assert token.returncode == 0
    running = service.json("submit", slow_request(service, data))["id"]
    # Stopped as soon as it is there: it is not over before the backup is, on any machine.
    solves = wait_until("a solve that runs", PATIENCE_S,
                        lambda: service.pids("kaname-compute", "solve"))
    for pid in solves:
        os.kill(pid, signal.SIGSTOP)
    jobs = rows_of(service)
    folder = service.work / "backup"
    made = service.call("admin", "backup", folder)
    facts.check("a backup is made while a job runs", made.returncode == 0
                and "database: " in made.stdout and "artifacts: " in made.stdout,
                text_of(made))
    facts.check("and the job still runs",
                solves and service.json("status", running)["state"] == "active", solves)
    for pid in solves:
        os.kill(pid, signal.SIGCONT)
    service.json("cancel", running)
    manifest = json.loads((folder / "manifest.json").read_text())
    sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=False,
                          capture_output=True, text=True)
    facts.check("it has checksums that sha256sum takes, and versions", sums.returncode == 0
                and manifest["migrations"][-1] >= "020" and manifest["pg_dump"].startswith("pg_dump"),
                sums.stderr + str(manifest))
    listed = [line.split("\t") for line in (folder / "artifacts.tsv").read_text().splitlines()]
    kept = [line for line in listed if line[2] == "kept"]
    facts.check("and every file, with its hash and bytes", kept and all(
        sha256(folder / "artifacts/objects" / h[:2] / h) == h for h, _, _ in kept), listed)
    again = service.call("admin", "backup", folder)
    facts.check("a folder that is there is refused", again.returncode == STATE
                and str(folder) in again.stderr, text_of(again))
    facts.check("nothing unfinished is left", not list(service.work.glob(".backup*")))
    shown = service.json("admin", "backups")["backups"]
    facts.check("the server lists it", shown[0]["state"] == "done" and shown[0]["folder"] == str(folder)
                and shown[0]["files"] == len(kept), shown)
    linked = service.work / "linked"
    service.call("admin", "backup", linked, "--artifacts", "link")
    one = kept[0][0]
    facts.check("links are the server's own files", (linked / "artifacts/objects" / one[:2] / one).stat()
                .st_ino == (service.objects / one[:2] / one).stat().st_ino)
    return folder, jobs


def moved(service, name, options=()):
    other = Service(service.bin, service.work / name, ["--lease-s", LEASE_S, *options])
    other.work.mkdir()
    other.work.chmod(0o755)
    return other


def refused_facts(facts, service, folder):
    """Folders that are no place for a restore, and backups that are not what they were."""
    busy = moved(service, "busy")
    busy.state.mkdir()
    (busy.state / "something").write_text("")
    refused = busy.call("admin", "restore", folder)
    facts.check("a state folder that is not empty is refused", refused.returncode == STATE
                and "must be empty" in refused.stderr, text_of(refused))
    broken = service.work / "broken"
    shutil.copytree(folder, broken)
    hashes = [line.split("\t")[0] for line in (folder / "artifacts.tsv").read_text().splitlines()
              if line.endswith("kept")]
    victim, gone = (broken / "artifacts/objects" / h[:2] / h for h in hashes[:2])
    victim.chmod(0o600)
    victim.write_bytes(b"x" * victim.stat().st_size)
    gone.unlink()
    lost = moved(service, "lost")
    told = lost.call("admin", "restore", broken)
    facts.check("files that are damaged or missing are named, and nothing is restored",
                told.returncode != 0 and f"{hashes[0]} is damaged" in told.stderr
                and f"{hashes[1]} is missing" in told.stderr and not list(lost.state.iterdir()),
                text_of(told))
    (broken / "manifest.json").write_text("{}")
    told = lost.call("admin", "restore", broken)
    facts.check("so is a manifest that was changed", told.returncode != 0
                and "manifest.json" in told.stderr, text_of(told))
    return lost


@contextlib.contextmanager
def up(other):
    try:
        other.up()
        yield other
    finally:
        other.down()
        for program in ("kaname-server", "kaname-agent", "kaname-compute", "postgres"):
            other.kill(program)


def same_facts(facts, service, other, jobs, where):
    """The restored server has the jobs of the moment of the backup, and the bytes of the first."""
    facts.check(f"kaname up {where} shows the same jobs", rows_of(other) == jobs,
                f"{rows_of(other)}\n{jobs}")
    downloaded = other.call("download", jobs[-1]["id"], "--output", "after.h5")
    facts.check("and downloads the same bytes", downloaded.returncode == 0
                and sha256(other.work / "after.h5") == sha256(service.work / "tiny/greens.h5"),
                text_of(downloaded))


def restore_facts(facts, service, other, folder, jobs):
    done = other.call("admin", "restore", folder)
    facts.check("a whole backup is restored where the damaged one was not", done.returncode == 0, text_of(done))
    with up(other):
        same_facts(facts, service, other, jobs, "there")
        facts.check("and has the same tokens", "vera" in other.call("token", "list").stdout)
        ended = other.call("watch", jobs[0]["id"], timeout=PATIENCE_S)
        facts.check("the job that ran at that moment is done there", ended.returncode == 0,
                    text_of(ended) + other.log())
        facts.check("and stays cancelled where it was",
                    service.json("status", jobs[0]["id"])["state"] == "cancelled")


def external_facts(facts, service, data):
    """Servers on databases that are not their own: here of the first server's cluster."""
    conninfo = f"host={service.state / 'postgres-socket'} user=kaname dbname="
    for name in ("here", "there"):
        subprocess.run(["psql", conninfo + "postgres", "-c", f"create database {name}"], check=True,
                       capture_output=True)
    secret = " password=not-for-everybody"  # where the socket vouches for the user nobody asks
    here = moved(service, "here", ["--database", conninfo + "here" + secret])
    folder = service.work / "external"
    with up(here):
        here.json("submit", data / "tiny.yaml", "--wait", "--output", "tiny")
        jobs = rows_of(here)
        made = here.call("admin", "backup", folder)
        facts.check("a backup is made of a server on an external database", made.returncode == 0,
                    text_of(made))
        texts = "".join(path.read_text() for path in folder.iterdir() if path.suffix in
                        (".json", ".tsv") or path.name == "SHA256SUMS")
        facts.check("without the password", secret.strip() not in text_of(made) + texts)
        there = moved(service, "there")
        told = there.call("admin", "restore", folder, "--database", conninfo + "here")
        facts.check("a database that is not empty is refused", told.returncode == STATE
                    and "empty" in told.stderr, text_of(told))
        told = there.call("admin", "restore", folder, "--database", conninfo + "there")
        facts.check("an empty one is filled", told.returncode == 0, text_of(told))
        there.up_options += ["--database", conninfo + "there"]
        with up(there):
            same_facts(facts, here, there, jobs, "on it")
            facts.check("without a cluster of its own", not (there.state / "postgres").exists())


def migrate_facts(facts, service):
    running = service.call("admin", "migrate", "--check")
    facts.check("the schema of a running server is told", running.returncode == 0
                and "up to date" in running.stdout, text_of(running))
    bad = service.call("admin", "backup", service.work / "x", "--artifacts", "zip")
    facts.check("an unknown mode is refused", bad.returncode == BAD_INPUT, text_of(bad))
    service.down()
    stopped = service.call("admin", "migrate", "--check")
    facts.check("and that of a stopped one, which stays stopped", stopped.returncode == 0
                and not service.pids("postgres"), text_of(stopped))
    folder = service.work / "cold"
    made = service.call("admin", "backup", folder, "--artifacts", "manifest")
    facts.check("a stopped one can be backed up too", made.returncode == 0
                and not (folder / "artifacts").exists() and not service.pids("postgres"),
                text_of(made))
    kept = [line.split("\t")[0] for line in (folder / "artifacts.tsv").read_text().splitlines()
            if line.endswith("kept")]
    (service.objects / kept[0][:2] / kept[0]).unlink()
    lossy = service.call("admin", "backup", service.work / "lossy")
    facts.check("a file that was lost before is named, and listed", lossy.returncode == SOME_FAILED
                and kept[0] in lossy.stdout and f"{kept[0]}\t0\tmissing"
                in (service.work / "lossy/artifacts.tsv").read_text(), text_of(lossy))
    none = service.call("admin", "migrate", "--check", "--state", service.work / "nowhere")
    facts.check("where no server ran there is nothing to check", none.returncode == NOT_FOUND,
                text_of(none))


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    facts = Facts()
    data = source_dir / "tests/e2e/data"
    with running_service(bin_dir, ["--lease-s", LEASE_S]) as service:
        folder, jobs = backup_facts(facts, service, data)
        other = refused_facts(facts, service, folder)
        restore_facts(facts, service, other, folder, jobs)
        external_facts(facts, service, data)
        migrate_facts(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
