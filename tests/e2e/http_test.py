#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What browsers and curl get of a service: logins, calls as JSON, events, maps, slices, the page.

Usage: http_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import http.client
import json
import pathlib
import re
import stat
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

import h5py
import numpy as np
import yaml
from service_harness import Facts, running_service, wait_until


class Browser:
    """One connection at a time; keeps its cookie, and sends what a page of this server would."""

    def __init__(self, url):
        self.url = url
        self.cookie = None
        self.headers = {"X-Kaname-Page": "1", "Sec-Fetch-Site": "same-origin", "Origin": url}

    def open(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=60)
        send = {**self.headers, **({"Cookie": self.cookie} if self.cookie else {}),
                **(headers or {})}
        if body is not None:
            send["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), send)
        return connection.getresponse()

    def ask(self, method, path, body=None, headers=None):
        answer = self.open(method, path, body, headers)
        text = answer.read()
        if cookie := answer.getheader("Set-Cookie"):
            self.cookie = cookie.split(";")[0]
        if "json" in (answer.getheader("Content-Type") or ""):
            return answer.status, json.loads(text)
        return answer.status, text

    def call(self, method, **request):
        return self.ask("POST", f"/v1/rpc/{method}", request)

    def events(self, path, last=None, stop=lambda events: False):
        """(event, id, data) of each event until the stream ends or `stop` says so."""
        found = []
        answer = self.open("GET", path, headers={"Last-Event-ID": last} if last else {})
        if answer.status != 200:
            return answer.status
        event = {}
        for line in answer:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name in ("event", "id", "data"):
                event[name] = value
            elif event and not name:
                found.append((event.get("event", ""), event.get("id", ""),
                              json.loads(event["data"])))
                event = {}
                if stop(found):
                    break
        answer.close()
        return found


def recorded(service):
    return json.loads((service.state / "client.json").read_text())


def watch_path(job):
    return "/v1/events/Jobs/WatchJob?request=" + urllib.parse.quote(json.dumps({"name": job}))


def login_facts(facts, service):
    url = recorded(service)["http"]
    facts.check("kaname up serves the page on this machine alone",
                url.startswith("http://127.0.0.1:"), url)
    done = service.call("page", "--print", "map/latest")
    facts.check("kaname page for a job that is not there says so", done.returncode != 0)
    done = service.call("page", "--print", "workers")
    found = re.fullmatch(re.escape(url) + r"/#login=([0-9a-f]{64})&to=/workers", done.stdout.strip())
    facts.check("kaname page prints an address that logs in", found, done.stdout + done.stderr)
    browser = Browser(url)
    status, _ = browser.ask("GET", "/v1/session")
    facts.check("nobody is in without a login", status == 401)
    status, me = browser.ask("POST", "/v1/login", {"code": found.group(1)})
    facts.check("the code logs in, as who made it", status == 200 and me["role"] == "admin", me)
    status, _ = Browser(url).ask("POST", "/v1/login", {"code": found.group(1)})
    facts.check("once", status == 401)
    token = recorded(service)["token"]
    kept = (service.state / "sessions").read_text()
    facts.check("what is kept of a login is useless by itself, and its user's alone",
                token not in kept and browser.cookie.split("=")[1] not in kept
                and stat.S_IMODE((service.state / "sessions").stat().st_mode) == 0o600)
    status, _ = browser.ask("POST", "/v1/rpc/Jobs/ListJobs", {}, {"Sec-Fetch-Site": "cross-site"})
    facts.check("another page may not use it", status == 403)
    status, text = browser.ask("GET", "/")
    facts.check("the page is served, or says how to get it", status == 200 and b"Kaname" in text)
    status, _ = browser.ask("GET", "/../../etc/passwd")
    facts.check("and nothing beside it", status == 404)
    return browser


def run_facts(facts, service, data):
    """A job that a browser watches."""
    browser = login_facts(facts, service)
    token = recorded(service)["token"]
    done = service.call("submit", data / "tiny.yaml")
    facts.check("a job is submitted", done.returncode == 0, done.stderr)
    status, listed = browser.call("Jobs/ListJobs", page_size=1)
    job = listed["jobs"][0]["name"]
    facts.check("it is listed", status == 200 and job.startswith("jobs/"), listed)
    overview = {}

    def watch_all():
        overview["events"] = browser.events(
            "/v1/events/overview",
            stop=lambda seen: any(name == "jobs" and data["jobs"][0]["state"] == "DONE"
                                  for name, _, data in seen if name == "jobs"))

    watcher = threading.Thread(target=watch_all)
    watcher.start()
    events = browser.events(watch_path(job))
    kinds = [data.get("event") for name, _, data in events if not name]
    facts.check("its events come, to the last", kinds[0] == "SUBMITTED" and "JOB_ENDED" in kinds
                and events[-1][0] == "end", events[-3:])
    again = browser.events(watch_path(job), last=events[0][1])
    facts.check("and go on behind the last id", again[0][1] == next(
        id for name, id, data in events[1:] if data.get("event") not in (None, "EVENT_UNSPECIFIED")),
                again[:2])
    watcher.join(60)
    facts.check("the overview told that it ended", not watcher.is_alive()
                and {name for name, _, _ in overview["events"]} >= {"stats", "workers", "jobs"},
                overview.get("events", [])[-2:])
    dataset_facts(facts, service, browser, job.removeprefix("jobs/"), token)
    return browser, job


def dataset_facts(facts, service, browser, job, token):
    file = service.work / "greens.h5"
    done = subprocess.run(["curl", "-sS", "--fail", "-o", file, "-H", f"Authorization: Bearer {token}",
                           f"{browser.url}/v1/datasets/{job}/file"], check=False)
    facts.check("the dataset is downloaded", done.returncode == 0)
    status, shown = browser.ask("GET", f"/v1/datasets/{job}/map")
    with h5py.File(file) as data:
        stations = data["station"].asstr()[()].tolist()
        sources = data["source"].asstr()[()].tolist()
        greens = data["greens"][()]
        corners = data["outline_lon"][()]
        history = {name: data[name][()] for name in ("iterations", "residual", "step_time")}
    facts.check("its map has the stations, in their order",
                status == 200 and [one["id"] for one in shown["stations"]] == stations, shown)
    of = {source["id"]: (source["index"], patch) for patch in shown["patches"]
          for source in patch["sources"]}
    facts.check("and the patches with their sources and corners",
                all(of[id][0] == k and of[id][1]["outline_lon_deg"] == corners[k].tolist()
                    for k, id in enumerate(sources)), of)
    box = shown["projection"]
    facts.check("the model's box goes round its stations",
                len(box["box_lon_deg"]) == 4
                and min(box["box_lon_deg"]) < min(s["lon_deg"] for s in shown["stations"])
                and max(box["box_lat_deg"]) > max(s["lat_deg"] for s in shown["stations"]), box)
    status, solves = browser.ask("GET", f"/v1/datasets/{job}/solves")
    facts.check("iterations and residuals of each step are told",
                all(np.array_equal(one["iterations"], history["iterations"][k])
                    and np.allclose(np.array(one["residual"], float), history["residual"][k],
                                    equal_nan=True)
                    for k, one in enumerate(solves["sources"]))
                and solves["step_time_s"] == history["step_time"].tolist(), solves)
    answer = browser.open("POST", "/v1/slices", {
        "dataset": f"datasets/{job}", "source_ids": [sources[1]], "epochs": {"start": 1, "count": 1}})
    values = np.frombuffer(answer.read(), "<f8")
    shape = tuple(map(int, answer.getheader("Kaname-Shape").split(",")))
    facts.check("a slice is what the file has", shape == (1, 1, len(stations), 3)
                and np.array_equal(values.reshape(shape), greens[1:2, 1:2]), shape)
    status, mesh = browser.ask("GET", f"/v1/jobs/{job}/mesh")
    facts.check("the mesh's report has its histogram and interfaces",
                status == 200 and sum(mesh["dihedral_histogram_10deg"]) == 6 * mesh["elements"]
                and "interfaces" in mesh, mesh)
    done = service.call("page", "--print", "map/latest")
    facts.check("kaname page leads to its map", done.stdout.strip().endswith(f"&to=/map/{job}"),
                done.stdout + done.stderr)


SI = {"_km": ("_m", 1e3), "_gpa": ("_pa", 1e9), "_years": ("_s", 365.25 * 86400)}


def in_si(value, factor=1):
    """A specification's YAML as the message has it: base units, and names that say so."""
    if isinstance(value, dict):
        message = {}
        for key, held in value.items():
            ending, (unit, by) = next(((e, to) for e, to in SI.items() if key.endswith(e)),
                                      ("", ("", 1)))
            message[key.removesuffix(ending) + unit] = in_si(held, by)
        return message
    if isinstance(value, list):
        return [in_si(held, factor) for held in value]
    return value if factor == 1 else float(value) * factor


def trace_facts(facts, service, browser, data):
    """A job made over HTTP keeps the header's trace; a malformed header is none."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    sent = f"00-{trace}-b7ad6b7169203331-01"
    batch = in_si(yaml.safe_load((data / "tiny.yaml").read_text()))
    for name, header in (("traced", sent), ("untraced", sent[:-1] + "g")):
        batch["name"] = name
        status, job = browser.ask("POST", "/v1/rpc/Jobs/CreateJob",
                                  {"batch": batch, "request_id": str(uuid.uuid4())},
                                  {"traceparent": header})
        facts.check(f"a job is made over HTTP ({name})", status == 200, job)
        done = service.call("watch", job["name"].removeprefix("jobs/"))
        facts.check("and done", done.returncode == 0, done.stderr)
        _, kept = browser.call("Jobs/GetJob", name=job["name"])
        if name == "traced":
            facts.check("it has the trace of its header", kept["traceparent"] == sent, kept)
            log = service.call("logs", job["name"].removeprefix("jobs/")).stdout
            facts.check("as kaname-compute's log has", f"\ntrace {trace}\n" in log, log)
        else:
            facts.check("a malformed header leaves it a trace of its own", re.fullmatch(
                "00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]", kept["traceparent"])
                and trace not in kept["traceparent"], kept)


def role_facts(facts, service, browser, job):
    """What a viewer gets, and what becomes of its session."""
    status, made = browser.call("Admin/MakeToken", name="eve", role="viewer")
    facts.check("an admin makes a token", status == 200 and made["secret"], made)
    eve = Browser(browser.url)
    status, me = eve.ask("POST", "/v1/login", {"token": made["secret"]})
    facts.check("it logs in", status == 200 and me["name"] == "eve", me)
    facts.check("it is told what it may", "Jobs/ListJobs" in me["methods"]
                and "Jobs/CancelJob" not in me["methods"] and "Jobs/WatchJob" in me["streams"], me)
    status, error = eve.call("Jobs/CancelJob", name=job)
    facts.check("and refused the rest, as by gRPC", status == 403 and error["code"] == 7, error)
    _, audit = browser.call("Admin/ListAuditEvents", page_size=20)
    facts.check("which the audit has", any(event["principal"] == "eve" and event["method"] == "CancelJob"
                                           and event["outcome"].startswith("refused")
                                           for event in audit["events"]), audit)
    ended = {}

    def watch():
        ended["events"] = eve.events("/v1/events/overview")
        ended["at"] = time.monotonic()

    watcher = threading.Thread(target=watch)
    watcher.start()
    time.sleep(1)
    revoked = time.monotonic()
    browser.call("Admin/RevokeToken", token="eve")
    watcher.join(20)
    facts.check("a token that is revoked ends its streams", not watcher.is_alive()
                and ended["at"] - revoked < 6 and ended["events"][-1][0] == "error"
                and ended["events"][-1][2]["code"] == 16, ended)
    status, _ = eve.ask("GET", "/v1/session")
    facts.check("and its sessions", status == 401)


def restart_facts(facts, service, browser):
    before = recorded(service)["http"]
    seen = {}

    def watch():
        seen["events"] = browser.events("/v1/events/overview")

    watcher = threading.Thread(target=watch)
    watcher.start()
    time.sleep(1)
    service.down()
    watcher.join(20)
    facts.check("a server that stops ends its streams", not watcher.is_alive(), seen)
    service.up()
    facts.check("it comes back where it was", recorded(service)["http"] == before,
                recorded(service)["http"])
    status, me = browser.ask("GET", "/v1/session")
    facts.check("and knows its sessions", status == 200 and me["role"] == "admin", me)
    browser.ask("POST", "/v1/logout", {})
    status, _ = browser.ask("GET", "/v1/session")
    facts.check("until they log out", status == 401)


def main():
    bin_dir, source_dir = sys.argv[1:3]
    data = pathlib.Path(source_dir) / "tests/e2e/data"
    facts = Facts()
    with running_service(bin_dir) as service:
        browser, job = run_facts(facts, service, data)
        trace_facts(facts, service, browser, data)
        role_facts(facts, service, browser, job)
        restart_facts(facts, service, browser)
        wait_until("helpers to end", 20, lambda: not service.pids("kaname-compute"))
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
