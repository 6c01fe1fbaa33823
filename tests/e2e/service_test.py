#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A batch through the service: submitted, computed, streamed, downloaded, asked for again.

Usage: service_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from service_harness import (BAD_INPUT, DENIED, NOT_FOUND, STATE, UNAVAILABLE, Facts, Service,
                             difference, greens, running_service)
from transaction_pooler import TransactionPooler

# FP64 sums in another order (packs of other company) against the same solve.
SAME = 1e-8
# Surface fields are kept in FP32; the solver's tolerance is 1e-8.
INTERPOLATED = 1e-6


def request_file_of(data, folder, name, **changes):
    text = (data / "tiny.yaml").read_text()
    for old, new in changes.get("replace", {}).items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def reuse_facts(facts, service, data):
    tiny = request_file_of(data, service.work, "tiny")
    local = service.call("run", tiny, "--output", "local")
    facts.check("run succeeds", local.returncode == 0, local.stderr)
    done = service.call("submit", tiny, "--wait", "--output", "first")
    facts.check("submit --wait succeeds", done.returncode == 0, done.stderr + service.log())
    first, reference = greens(service.work / "first/greens.h5"), greens(
        service.work / "local/greens.h5")
    off = difference(first["greens"], reference["greens"])
    facts.check(f"the service computes what run computes (off by {off:.1e})",
                off <= SAME and first["source"] == reference["source"])

    again = service.json("submit", tiny, "--wait", "--output", "again")
    facts.check("the second submit computes nothing",
                again["report"]["created"] == 0 and again["report"]["reused"] == 4, again)
    facts.check("the second submit gives the same file",
                (service.work / "again/greens.h5").read_bytes()
                == (service.work / "first/greens.h5").read_bytes())

    stations = service.work / "new.csv"
    stations.write_text("station,lon_deg,lat_deg\nNEW,135.1,34.1\n")
    more = request_file_of(data, service.work, "more", replace={
        "stations:\n  list:\n": "stations:\n  files: [new.csv]\n  list:\n",
        "epochs_years: [0, 1, 3]": "epochs_years: [0, 2, 3]"})
    report = service.json("submit", more, "--wait", "--output", "more")["report"]
    facts.check("new stations and epochs make a new dataset and solve nothing",
                report["created"] == 1 and report["reused"] == 3, report)
    local = service.call("run", more, "--output", "more-local")
    off = difference(greens(service.work / "more/greens.h5")["greens"],
                     greens(service.work / "more-local/greens.h5")["greens"])
    facts.check(f"the new station has the values of a run of its own (off by {off:.1e})",
                local.returncode == 0 and off <= INTERPOLATED)

    back = service.call("files", "more/greens.h5", "--output", "back")
    facts.check("the files of a dataset's specification come back from the service",
                back.returncode == 0 and (service.work / "back/stations.files.0").read_bytes()
                == stations.read_bytes(), back.stderr)
    same = service.json("submit", "back/request.yaml", "--wait", "--output", "same")
    facts.check("the specification that came back asks for the same dataset",
                same["report"]["created"] == 0 and (service.work / "same/greens.h5").read_bytes()
                == (service.work / "more/greens.h5").read_bytes(), same)


def listing_facts(facts, service):
    jobs = service.json("list")["jobs"]
    facts.check("list shows the four jobs, newest first",
                len(jobs) == 4 and jobs[0]["created_s"] >= jobs[3]["created_s"], jobs)
    for verb in ("status", "show"):
        job = service.json(verb, "latest")
        facts.check(f"{verb} tells the state", job["state"] == "done", job)
    for verb in (("status", "tiny"), ("show", jobs[3]["id"][:8]), ("list",), ("worker", "list"),
                 ("logs", jobs[3]["id"], "--source", "mesh")):
        done = service.call(*verb)
        facts.check(f"kaname {' '.join(verb)} prints something for people",
                    done.returncode == 0 and done.stdout.strip(), done.stderr)
    lines = service.call("list").stdout.splitlines()
    facts.check("list has a header and a line of each job", len(lines) == 5 and lines[0].split() == [
        "id", "state", "made", "name", "progress"] and all(
            line[lines[0].index("name"):].startswith(("tiny", "more")) for line in lines[1:]), lines)
    workers = service.json("worker", "list")["workers"]
    facts.check("one worker has been started", len(workers) == 1, workers)
    watched = service.call("watch", jobs[0]["id"], "--json")
    lines = [json.loads(line) for line in watched.stdout.splitlines()]
    facts.check("watch replays the events of an ended job",
                watched.returncode == 0 and lines[-1]["event"] == "job_ended", watched.stdout)


def up_facts(facts, service):
    again = service.call("up")
    facts.check("a second up finds the service running",
                again.returncode == 0 and "already running" in again.stdout,
                again.stdout + again.stderr)
    facts.check("up prints commands that can be typed", all(
        f"{service.bin}/kaname {command}\n" in again.stdout
        for command in ("submit FILE --wait", "list", "down")), again.stdout)
    other = service.call("up", "--device", "cuda", "--threads", "1", "--ranks", "2")
    facts.check("up with other options than the running server's names them and fails",
                other.returncode == STATE and all(
                    line in other.stderr for line in
                    ("--device: it runs with cpu, asked for cuda\n",
                     "--ranks: it runs with 1, asked for 2\n",
                     f" {service.bin}/kaname down && {service.bin}/kaname up --ranks 2 --threads 1"
                     " --device cuda\n")) and "--threads:" not in other.stderr, other.stderr)
    same = service.call("up", "--device", "cpu", "--state", service.state,
                        env={"KANAME_STATE": "", "KANAME_SERVER": "127.0.0.1:9"})
    facts.check("up with the same options finds it, and names its state folder in every command",
                same.returncode == 0 and all(
                    f"{service.bin}/kaname {command} --state {service.state}\n" in same.stdout
                    for command in ("submit FILE --wait", "list", "down")),
                same.stdout + same.stderr)
    typed = [line.strip() for line in same.stdout.splitlines() if "/kaname list " in line]
    listed = subprocess.run(["sh", "-c", "\n".join(typed) or "false"], capture_output=True, text=True,
                            env={**service.env, "KANAME_STATE": "", "KANAME_SERVER": "127.0.0.1:9"})
    facts.check("a printed command reaches this server whatever KANAME_SERVER says",
                listed.returncode == 0, str(typed) + listed.stderr)


def log_facts(facts, service, data):
    def says(fact, log, *words):
        facts.check(fact, all(word in log for word in words),
                    f"lacks {[word for word in words if word not in log]}:\n{log}")

    def log_of(job, stage):
        return service.json("logs", job, "--stage", stage)["log"]

    says("the mesh's log holds its report", log_of("tiny", "mesh"), "== attempt 1 of mesh, worker ",
         "kaname-compute ", ", commit ", " tets, ", "dihedral angles", "fault '", "time: ",
         "GiB at most", "== done after ")
    says("a source's log tells how it was solved", log_of("tiny", "s00d00/rake_0"),
         "== attempt 1 of s00d00/rake_0", "kaname-compute ", ", commit ",
         "1 rank x 1 thread, device cpu", " unknowns", "predictor projection, tolerance 1.0e-08",
         "step 0 of 3: ", "step 3 of 3: ", "residual ", "\ns00d00/rake_0: done; 4 solves, ",
         "solved after ")
    says("the package's log tells what it holds", log_of("tiny", "package"),
         "2 sources done, 0 failed, 0 missing; 3 epochs, ", "== done after ")
    says("the log of a reused stage is that of the job that computed it", log_of("latest", "mesh"),
         "computed for an earlier job", "dihedral angles")
    hopeless = request_file_of(data, service.work, "hopeless", replace={
        "name: tiny": "name: hopeless", "time: {": "solver: {max_iterations: 2}\ntime: {"})
    failed = service.call("submit", hopeless, "--wait", "--output", "hopeless")
    says("a job that fails says where to read on", failed.stdout, "why  ",
         f"{service.bin}/kaname logs ")
    says("the log of a failed source says why", log_of("hopeless", "s00d00/rake_0"),
         "failed: NotConverged: ", "after 2 iterations", "the mesh stage's log")
    every = service.call("logs", "hopeless").stdout
    says("logs of all stages come one after the other", every, "==> mesh: done <==",
         "==> s00d00/rake_0: failed <==", "==> package: failed <==", "failed: no source was computed")


def stream_facts(facts, service, data):
    request_file = request_file_of(data, service.work, "stream", replace={
        "rake_deg: [0, 90]": "n_strike: 4\n    n_dip: 3", "name: tiny": "name: stream",
        "step_years: 1, ": "step_years: 0.2, ", "size_at_fault_km: 10": "size_at_fault_km: 5"})
    job = service.json("submit", request_file)["id"]
    stream = service.start("stream", job, "--json")
    lines = [json.loads(stream.stdout.readline()) for _ in range(2)]
    status = service.json("status", job)
    facts.check("the first of 24 sources is streamed before the last is solved",
                "axes" in lines[0] and lines[1]["state"] == "done" and status["state"] == "active"
                and status["counts"]["done"] < 24, status)
    rest = [json.loads(line) for line in stream.stdout]
    facts.check("the stream delivers every source once, then ends",
                stream.wait() == 0 and sorted(r["ordinal"] for r in lines[1:] + rest)
                == list(range(24)))
    again = service.call("stream", job, "--json", "--resume-token", rest[10]["resume_token"])
    resumed = [json.loads(line) for line in again.stdout.splitlines()]
    facts.check("a stream goes on after its resume token",
                [r["source"] for r in resumed[1:]] == [r["source"] for r in rest[11:]])
    service.call("download", job, "--output", "stream.h5")
    done = service.call("download", job, "--output", "new/folder/")
    facts.check("a download into a folder that is new makes it", (service.work / "new/folder/greens.h5").is_file(),
                done.stderr)
    values = greens(service.work / "stream.h5")["greens"]
    streamed = {r["ordinal"]: r["displacement_m"] for r in lines[1:] + rest}
    facts.check("streamed values are those of the dataset", all(
        np.array_equal(values[k].ravel(), streamed[k]) for k in range(24)))


def error_facts(facts, service, data):
    def fails(fact, code, words, *arguments, env=None):
        done = service.call(*arguments, env=env)
        said = done.stderr.strip()
        facts.check(f"{fact}: exits {code}, names {words}",
                    done.returncode == code and all(w in said for w in words.split()),
                    f"exit {done.returncode}: {said}")

    missing = str(uuid.uuid4())
    fails("an unknown job", NOT_FOUND, missing, "status", missing)
    fails("an unknown token", DENIED, "token", "list", env={"KANAME_TOKEN": "wrong"})
    fails("no server", UNAVAILABLE, "kaname up", "list", env={"KANAME_STATE": str(service.work / "absent")})
    bad = request_file_of(data, service.work, "bad", replace={"lon_deg: 135.22": "lon_deg: 142.5",
                                                      "1e19": "-1e19"})
    fails("a bad value", BAD_INPUT, "viscosity_pa_s", "submit", bad)
    outside = request_file_of(data, service.work, "outside", replace={"lon_deg: 135.22": "lon_deg: 142.5"})
    fails("a station outside the region", BAD_INPUT, "stations.list[1]", "submit", outside)
    request = str(uuid.uuid4())
    good = request_file_of(data, service.work, "good")
    first = service.call("submit", good, "--request-id", request)
    facts.check("a submit with a request id succeeds", first.returncode == 0, first.stderr)
    replay = service.json("submit", good, "--request-id", request)
    facts.check("the same request is answered the same", replay["report"]["replayed"], replay)
    other = request_file_of(data, service.work, "other", replace={"end_years: 3": "end_years: 4"})
    fails("a request id for another body", STATE, request, "submit", other, "--request-id",
          request)


def many_facts(facts, service, data):
    """Ten thousand sources on a tiny mesh: accepted, listed, partly done, cancelled."""
    rakes = ", ".join(str(k / 100) for k in range(10000))
    many = request_file_of(data, service.work, "many", replace={
        "rake_deg: [0, 90]": f"rake_deg: [{rakes}]", "name: tiny": "name: many"})
    job = service.json("submit", many)
    facts.check("10,000 sources are accepted", job["counts"]["sources"] == 10000, job)
    shown = service.json("show", job["id"])
    facts.check("10,000 sources are listed", len(shown["items"]) == 10002)
    early = service.call("download", job["id"], "--output", "early.h5")
    facts.check("the dataset of an unfinished job is not given out", early.returncode == STATE,
                early.stderr)
    cancelled = service.json("cancel", job["id"])["jobs"][0]
    facts.check("the cancel is answered", cancelled["state"] in ("cancelled", "active"), cancelled)
    service.call("watch", job["id"])  # of a busy machine the server has some left
    ended = service.json("show", job["id"])
    facts.check("the batch is cancelled", ended["state"] == "cancelled", ended["state"])
    facts.check("a retry brings it back", service.json("retry", job["id"])["state"] == "active")
    service.json("cancel", job["id"])


def open_transaction(conninfo):
    """A session of another role that holds rows."""
    holder = subprocess.Popen(["psql", "--quiet", "--no-psqlrc", conninfo], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    holder.stdin.write("begin isolation level repeatable read; select 'open';\n")
    holder.stdin.flush()
    while "open" not in holder.stdout.readline():
        pass
    return holder


def kept_options_facts(facts, other):
    """A plain up after down or a crash is the same server: jobs, addresses, workers."""
    def places():
        told = json.loads((other.state / "client.json").read_text())
        options = json.loads((other.state / "options.json").read_text())
        return ({key: told.get(key) for key in ("listen", "metrics", "http")},
                {key: value for key, value in options.items() if key != "said"})

    before, jobs = places(), [job["id"] for job in other.json("list")["jobs"]]
    facts.check("it has jobs and addresses", jobs and all(before[0].values()), before)
    for how, end in (("down", other.down), ("a crash", lambda: other.kill("kaname-server"))):
        end()
        again = other.call("up")
        facts.check(f"after {how} a plain up serves the same jobs at the same addresses",
                    again.returncode == 0 and places() == before
                    and [job["id"] for job in other.json("list")["jobs"]] == jobs,
                    f"{again.stdout}{again.stderr}{before}\n{places()}{other.log()}")
    differs = other.call("up", "--listen", "none", "--database", "none")
    facts.check("up with other options names each that differs", differs.returncode == STATE
                and "--listen: it runs with " in differs.stderr and ", asked for none" in differs.stderr
                and "--database: it runs with " in differs.stderr, differs.stderr)
    other.down()
    silent = other.call("doctor", "--state", other.state, "--json")
    facts.check("doctor --state of a server that is down exits 5", silent.returncode == UNAVAILABLE
                and [check["status"] for check in json.loads(silent.stdout)["checks"]
                     if check["name"] == "server"] == ["fail"], silent.stdout)
    bare = subprocess.run([other.bin / "kaname-server", "--state", other.state], text=True,
                          capture_output=True, timeout=60, check=False)
    facts.check("a server that would serve no job of the last one is refused",
                bare.returncode == STATE and "--database: must be given" in bare.stderr, bare.stderr)


def output_facts(facts, service):
    """Whatever prints results says where they could not be written."""
    file, job = "first/greens.h5", service.json("list")["jobs"][0]["id"]
    commands = [
        ("validate", "tiny.yaml"), ("validate", "tiny.yaml", "--json"), ("estimate", "tiny.yaml"),
        ("show", file), ("show", job), ("slice", file), ("slice", job), ("files", file), ("doctor",),
        ("up",), ("list",), ("list", "--json"), ("status", job), ("watch", job), ("stream", job),
        ("stream", job, "--json"), ("logs", job), ("cancel", job), ("dataset", "list"),
        ("worker", "list"), ("campaign", "list", "--json"), ("quota", "list", "--json"),
        ("token", "list"), ("audit",), ("gc", "--dry-run"), ("admin", "stats"), ("admin", "backups",
        "--json"), ("page", "--print"), ("completion", "bash"), ("man",), ("--help",), ("--version",),
        ("token", "make", "lost", "--role", "viewer"), ("list", "--only", "bogus", "--json")]

    def onto(where, words):
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {where}', service.bin / "kaname", *words],
                              cwd=service.work, env=service.env, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)

    def wrong(where, why):
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda words: onto(where, words), commands))
        return [f"{' '.join(words)}: exit {done.returncode}: {done.stderr}"
                for words, done in zip(commands, answers)
                if done.returncode not in (UNAVAILABLE, BAD_INPUT)
                or f"error: standard output: {why}" not in done.stderr]

    full = wrong(">/dev/full", "No space left on device")
    facts.check(f"{len(commands)} commands on a full disk say so and fail", not full, "\n".join(full))
    closed = [onto(">&-", words) for words in commands[:3]]
    facts.check("and with a standard output that is closed", all(
        done.returncode == UNAVAILABLE and "standard output: Bad file descriptor" in done.stderr
        for done in closed), closed)
    tokens = [one for one in service.json("token", "list")["tokens"] if one["name"] == "lost"]
    facts.check("a token that could not be printed is revoked",
                tokens and all(one["revoked_s"] > 0 for one in tokens), tokens)


def idle_facts(facts, service):
    """A server, a worker without work, and the session of kaname-compute that it keeps, are woken by news, not by
    polls. A minute after the last change they wake far less still, for which nobody waits here."""
    def wakes(program):
        return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1])
                   for pid in service.pids(program) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())
    most = {"kaname-server": 45, "kaname-agent": 12, "kaname-compute": 2}
    before = {program: wakes(program) for program in most}
    time.sleep(2)
    rates = {program: (wakes(program) - before[program]) / 2 for program in most}
    facts.check(f"idle ones wake less than {most} times a second",
                0 < rates["kaname-server"] and all(rates[program] < most[program] for program in most), rates)


def health_facts(facts, service):
    """What load balancers and containers ask, without a token."""
    pages = json.loads((service.state / "client.json").read_text())["http"]
    told = [urllib.request.urlopen(f"{pages}/{name}", timeout=20) for name in ("healthz", "readyz")]
    facts.check("/healthz and /readyz answer without a token", [
        (answer.status, answer.read()) for answer in told] == [(200, b"ok\n"), (200, b"ready\n")])
    token = json.loads((service.state / "client.json").read_text())["token"]

    def tokens(size, after):
        asked = urllib.request.Request(f"{pages}/v1/rpc/Admin/ListTokens", json.dumps(
            {"page_size": size, "page_token": after}).encode(), {
                "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(asked, timeout=20).read())
    whole, paged, after = tokens(0, "")["tokens"], [], None
    while after != "":
        page = tokens(1, after or "")
        paged += page["tokens"]
        after = page.get("next_page_token", "")
    facts.check("a list of an administrator pages to its end", len(whole) > 1
                and [one["id"] for one in paged] == [one["id"] for one in whole], (paged, whole))
    named = service.call("doctor", "--server", "127.0.0.1:1", "--token", "x")
    facts.check("doctor of a named server that does not answer exits 5",
                named.returncode == UNAVAILABLE and "none answers at 127.0.0.1:1" in named.stdout,
                named.stdout + named.stderr)


def external_database_facts(facts, service, data):
    """A second server on a database that is not its own: here one in the first server's cluster."""
    socket = service.state / "postgres-socket"
    conninfo = f"host={socket} user=kaname dbname="
    made = subprocess.run(["psql", conninfo + "postgres", "-c", "create role plain", "-c",
                           "create database other owner plain"], capture_output=True, text=True)
    facts.check("a database is made for the second server", made.returncode == 0, made.stderr)
    # An ordinary role, which sees of others' sessions what its owner lets it see.
    other = Service(service.bin, service.work / "other",
                    ["--threads", "1", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
                     "--database", conninfo + "other options='-c role=plain'"])
    other.work.mkdir()
    holder = open_transaction(conninfo + "other")
    try:
        other.up()
        done = other.call("submit", request_file_of(data, other.work, "tiny"), "--wait", "--output", "out")
        facts.check("a server on an external database computes the same",
                    done.returncode == 0 and difference(
                        greens(other.work / "out/greens.h5")["greens"],
                        greens(service.work / "first/greens.h5")["greens"]) <= SAME,
                    done.stderr + other.log())
        facts.check("it makes no cluster of its own", not (other.state / "postgres").exists())
        age = other.json("admin", "stats")["database"]["oldest_xmin_age_s"]
        facts.check("a transaction of another role is not called none", age is None or age > 0, age)
        holder.communicate()
        kept_options_facts(facts, other)
        bad = other.call("up", "--state", "nowhere", "--database", f"host={other.work}/absent")
        facts.check("a database that is not there: exits 5 and says so",
                    bad.returncode == UNAVAILABLE and f"{other.work}/absent" in bad.stderr, bad.stderr)
    finally:
        holder.kill()
        other.down()


def unfit_database_facts(facts, service):
    """Databases of others that lack something: it is told before anything is changed, with what helps."""
    socket = service.state / "postgres-socket"
    admin = f"host={socket} user=kaname dbname="
    folder, by_statement = service.work / "pooler", service.work / "by_statement"
    folder.mkdir()
    by_statement.mkdir()
    with (service.state / "postgres/pg_hba.conf").open("a") as rules:
        rules.write("local all kn,few trust\n")
    made = subprocess.run(
        ["psql", admin + "postgres", "-q", "-v", "ON_ERROR_STOP=1", "-c", "select pg_reload_conf()", "-c",
         "create role kn login", "-c",
         "create role few login connection limit 3", "-c", "create database closed", "-c",
         "create database small owner few", "-c", "create database pooled", "-c",
         "create database latin owner kn encoding 'LATIN1' locale 'C' template template0"],
        capture_output=True, text=True, check=False)
    facts.check("databases that lack something are made", made.returncode == 0, made.stderr)
    poolers = [TransactionPooler(str(folder), socket), TransactionPooler(str(by_statement), socket, True)]
    try:
        for what, place, words in (
                ("a role that may make no tables", f"host={socket} user=kn dbname=closed",
                 ("role kn must be allowed to make tables in schema public of database closed, and is not",
                  "grant usage, create on schema public to kn")),
                ("a role with too few connections", f"host={socket} user=few dbname=small",
                 ("the connection limit of role few must leave room for 22 sessions of a server "
                  "(10 at the least), got 3 of 3", "alter role few connection limit 22")),
                ("another encoding", f"host={socket} user=kn dbname=latin",
                 ("its encoding must be UTF8, got LATIN1", "encoding 'UTF8' template template0")),
                ("a pooler in transaction mode", f"host={folder} user=kaname dbname=pooled",
                 ("a connection must stay one session, got a pooler in transaction or statement mode",
                  "pool_mode=session")),
                ("a pooler in statement mode", f"host={by_statement} user=kaname dbname=pooled",
                 ("a connection must stay one session, got a pooler in transaction or statement mode",
                  "pool_mode=session"))):
            begun = time.monotonic()
            done = service.call("up", "--state", service.work / "unfit", "--database", place)
            told = " ".join(done.stderr.split())
            facts.check(f"{what} is told with what helps, and at once",
                        done.returncode == UNAVAILABLE and all(word in told for word in words)
                        and "select" not in told and "SPDX" not in told
                        and time.monotonic() - begun < 20, done.stderr)
        config = service.work / "unfit.yaml"
        config.write_text("schema: kaname.v1.ServerConfig\n"
                          f"database: {{conninfo: \"host={socket} user=kn dbname=latin\"}}\n")
        told = " ".join(service.call("doctor", "--config", config).stdout.split())
        facts.check("doctor --config says all that a role lacks", "grant pg_monitor to kn" in told
                    and "must be UTF8" in told, told)
        new = service.work / "new"
        config.write_text(f"schema: kaname.v1.ServerConfig\nartifacts: {new}/results\n")
        told = " ".join(service.call("doctor", "--config", config, "--state", new / "state").stdout.split())
        facts.check("and makes none of the folders that it looks at",
                    told.count(f"the server's start makes it in {service.work}, which is writable") == 2
                    and not new.exists(), told)
        tables = subprocess.run(["psql", admin + "latin", "-Atc", "select count(*) from pg_tables "
                                 "where schemaname = 'public'"], capture_output=True, text=True, check=False)
        facts.check("nothing of a database that is refused was changed", tables.stdout.strip() == "0", tables)
    finally:
        for pooler in poolers:
            pooler.close()


def slice_and_http_facts(facts, service):
    """The first job's dataset, by curl and in pieces."""
    file = service.work / "first/greens.h5"
    held = hashlib.sha256(file.read_bytes()).hexdigest()
    shown = [service.json("show", job["id"]) for job in service.json("list")["jobs"]]
    job = next(one["id"] for one in shown if (one.get("dataset") or {}).get("sha256") == held)
    token = json.loads((service.state / "client.json").read_text())["token"]
    pages = re.search(r"pages at (\S+)", service.log()).group(1)
    fetched = service.work / "curl.h5"
    fetched.write_bytes(file.read_bytes()[:5000])
    done = subprocess.run(["curl", "-sS", "--fail", "-C", "-", "-o", fetched, "-H",
                           f"Authorization: Bearer {token}", f"{pages}/v1/datasets/{job}/file"],
                          capture_output=True, text=True, timeout=60, check=False)
    facts.check("curl gets the dataset byte for byte",
                done.returncode == 0 and fetched.read_bytes() == file.read_bytes(), done.stderr)
    whole = service.json("slice", file)
    names = ["--source", whole["sources"][1], "--station",
             ",".join(reversed(whole["stations"])), "--years", "0:1"]
    here, there = service.json("slice", file, *names), service.json("slice", job, *names)
    facts.check("a slice by names is the same of the file and of the job", here == there,
                (here, there))
    epochs = len(here["epochs_s"])
    each = len(whole["epochs_s"]) * len(whole["stations"]) * 3
    expected = [whole["values"][each + (t * len(whole["stations"]) + n) * 3 + c]
                for t in range(epochs) for n in reversed(range(len(whole["stations"])))
                for c in range(3)]
    facts.check("and what the whole has", 0 < epochs < len(whole["epochs_s"])
                and here["values"] == expected, here)
    table = service.call("slice", job, "--station", whole["stations"][0], "--years", "0")
    rows = table.stdout.splitlines()
    facts.check("as a table it has a row per source, epoch and station",
                rows[0] == "source,epoch_years,station,east,north,up"
                and len(rows) == 1 + len(whole["sources"]), table.stdout + table.stderr)
    bad = service.call("slice", job, "--station", whole["stations"][0] + "x")
    facts.check("an unknown station is refused with what is near", bad.returncode == BAD_INPUT
                and f"did you mean {whole['stations'][0]}?" in bad.stderr, bad.stderr)


def main():
    bin_dir, source_dir = sys.argv[1:3]
    data = pathlib.Path(source_dir) / "tests/e2e/data"
    facts = Facts()
    with running_service(bin_dir, ["--threads", "1", "--device", "cpu", "--http",
                                   "127.0.0.1:0"]) as service:
        up_facts(facts, service)
        reuse_facts(facts, service, data)
        listing_facts(facts, service)
        idle_facts(facts, service)
        log_facts(facts, service, data)
        external_database_facts(facts, service, data)
        unfit_database_facts(facts, service)
        stream_facts(facts, service, data)
        slice_and_http_facts(facts, service)
        output_facts(facts, service)
        health_facts(facts, service)
        error_facts(facts, service, data)
        many_facts(facts, service, data)
        down = service.down()
        facts.check("down stops everything", down.returncode == 0 and not any(
            service.pids(p) for p in ("kaname-server", "kaname-agent", "postgres")), down.stderr)
        with ThreadPoolExecutor() as pool:
            started = list(pool.map(lambda _: service.call("up", *service.up_options), range(5)))
        facts.check("five up at once end with one server, each with exit code 0",
                    [done.returncode for done in started] == [0] * 5
                    and len(service.pids("kaname-server")) == 1,
                    "\n".join(done.stdout + done.stderr for done in started))
        workers = service.json("worker", "list")["workers"]
        facts.check("no worker is lost by a clean down",
                    all(worker["state"] != "lost" for worker in workers), workers)
        facts.check("after down and up the jobs are still there",
                    len(service.json("list")["jobs"]) >= 5)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
