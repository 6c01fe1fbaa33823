#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of every part of the service in the middle of a batch; the dataset must come out right.

Usage: service_faults_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import signal
import sys

from service_harness import (Facts, Unavailable, difference, greens, running_service,
                             wait_until)

SAME = 1e-8  # as in service_test.py
SOURCES = 8
UPLOAD_BYTES = 60 << 20  # station files may have 64 MiB
TWO_RANKS = {"ranks", "agent"}  # faults that ranks may outlive; on one, a solve takes half the core-seconds
PATIENCE_S = 180


def request_of(data, folder, name, number):
    """Two packs of a second or more each. The tolerance makes every batch one of its own, without a change of
    its values that counts: one run without a server is the reference of all."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: {name}",
                     "rake_deg: [0, 90]": "n_strike: 2\n    n_dip: 2",
                     "size_at_fault_km: 10, size_far_km: 40": "size_at_fault_km: 2.5, size_far_km: 30",
                     "time: {step_years: 1, end_years: 3": f"solver: {{tolerance: 1.000{number}e-8}}\n\n"
                                                           "time: {step_years: 0.2, end_years: 3"}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def options(ranks):
    """The shape of every solve, so that the sums are those of the run without a server on as many ranks."""
    return ["--ranks", str(ranks), "--threads", "1"]


def solving(service, job):
    """The job once its second pack is being solved: some sources done, some under way."""
    def look():
        try:
            status = service.json("status", job)
        except Unavailable as error:  # a server that stays away ends the patience, not one call
            print(f"      | {error}", flush=True)
            return None
        return status if status["counts"]["done"] >= 4 and service.pids(
            "kaname-compute", "solve") else None
    return wait_until("half of the batch", PATIENCE_S, look)


def ends_well(facts, service, name, job, ranks=1):
    done = service.call("watch", job, "--json", timeout=PATIENCE_S)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    finished = [e["item"]["label"] for e in events if e.get("event") == "item_done"]
    facts.check(f"{name}: the job ends", done.returncode == 0, done.stdout + done.stderr
                + service.log())
    facts.check(f"{name}: every stage is done once",
                len(finished) == len(set(finished)) == SOURCES + 2, finished)
    got = service.call("download", job, "--output", f"{name}.h5")
    if not facts.check(f"{name}: the dataset is there", got.returncode == 0, got.stderr):
        return
    off = difference(greens(service.work / f"{name}.h5")["greens"],
                     greens(service.work / f"local-{ranks}/greens.h5")["greens"])
    facts.check(f"{name}: the dataset is right (off by {off:.1e})", off <= SAME)


def everything(service):
    """All at once, as a power cut would."""
    return min(service.kill(p) for p in ("kaname-server", "kaname-agent", "postgres"))


FAULTS = {
    "ranks": lambda s: s.kill("kaname-compute", "solve"),
    "agent": lambda s: s.kill("kaname-agent"),
    "server": lambda s: s.kill("kaname-server"),
    "database": lambda s: s.kill("postgres"),
    "everything": everything,
}


def killed_upload(facts, service, data):
    """A client that dies while it uploads leaves nothing queued; the next one goes on there."""
    stations = service.work / "stations.csv"
    line = b"# " + 1000 * b"x" + b"\n"
    stations.write_bytes(b"station,lon_deg,lat_deg\nFILE,135.05,34.05\n"
                         + line * ((UPLOAD_BYTES) // len(line)))
    request = request_of(data, service.work, "upload", 8)
    request.write_text(request.read_text().replace("stations:\n", "stations:\n  files: [stations.csv]\n"))
    client = service.start("submit", request)
    partial = wait_until("the upload", 60, lambda: [
        p for p in (service.state / "artifacts/partial").iterdir() if p.stat().st_size > 1 << 20],
        poll_s=0.002)
    client.send_signal(signal.SIGKILL)
    client.communicate()
    facts.check("a killed upload queues nothing",
                not [j for j in service.json("list")["jobs"] if j["title"] == "upload"])
    had = partial[0].stat().st_size if partial[0].exists() else 0
    facts.check("what was uploaded is kept", 0 < had <= UPLOAD_BYTES, had)
    job = service.json("submit", request)
    facts.check("the next submit goes on and is accepted", job["counts"]["sources"] == SOURCES, job)
    service.json("cancel", job["id"])


def main():
    bin_dir, source_dir = sys.argv[1:3]
    data = pathlib.Path(source_dir) / "tests/e2e/data"
    facts = Facts()
    ranks = 2
    with running_service(bin_dir, [*options(ranks), "--lease-s", "3"]) as service:
        reference = request_of(data, service.work, "reference", 0)
        for n in (1, 2):
            local = service.call("run", reference, "--output", f"local-{n}", *options(n))
            facts.check(f"a run without a server ends well on {n} rank(s)", local.returncode == 0, local.stderr)
        for number, (name, fault) in enumerate(FAULTS.items()):
            if ranks == 2 and name not in TWO_RANKS:
                ranks = 1
                service.down()
                service.up_options[:2] = options(ranks)[:2]
                service.up()
            request = request_of(data, service.work, name, number)
            job = service.json("submit", request)["id"]
            solving(service, job)
            killed = fault(service)
            facts.check(f"{name}: killed {killed} in the middle of the batch", killed > 0)
            if name in ("server", "everything"):
                service.up()
            ends_well(facts, service, name, job, ranks)

        request = request_of(data, service.work, "client", 9)
        client = service.start("submit", request, "--wait", "--output", "client-wait")
        job = wait_until("the client's job", 60, lambda: [
            j for j in service.json("list")["jobs"] if j["title"] == "client"])[0]["id"]
        solving(service, job)
        client.send_signal(signal.SIGKILL)
        client.communicate()
        ends_well(facts, service, "client", job)
        whole = (service.work / "client.h5").read_bytes()
        (service.work / "resumed.h5.part").write_bytes(whole[: len(whole) // 2])
        resumed = service.json("download", job, "--output", "resumed.h5")
        facts.check("a download that was killed half way goes on there",
                    resumed["resumed_from"] == len(whole) // 2
                    and (service.work / "resumed.h5").read_bytes() == whole, resumed)
        killed_upload(facts, service, data)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
