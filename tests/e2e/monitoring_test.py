#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Metrics, alert rules and the dashboard against a real Prometheus that scrapes a real server.

Usage: monitoring_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request

from free_ports import free_ports
from service_harness import SKIP, Facts, running_service, wait_until
from worker_gpus_test import COMPUTE, GPU, page

PATIENCE_S = 120


def queries_of(source):
    """(where, expression) of the rules and the dashboard."""
    folder = source / "deploy/monitoring"
    rules = (folder / "alerts.yaml").read_text()
    for alert, expression in re.findall(r"- alert: (\w+)\n\s+expr: (.+)\n", rules):
        yield alert, expression
    board = json.loads((folder / "grafana-dashboard.json").read_text())
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$instance", ".*")


def selectors_of(expression):
    """Metrics with their matchers, as they stand in the expression."""
    return re.findall(r'\b((?:kaname_[a-z_]+|up)(?:\{[^}]*\})?)', expression)


class Prometheus:
    def __init__(self, work, source, target, token):
        self.port = free_ports(1)[0]
        folder = work / "prometheus"
        folder.mkdir()
        for name in ("alerts.yaml", "prometheus.yaml"):
            shutil.copy(source / "deploy/monitoring" / name, folder)
        (folder / "kaname.token").write_text(token)
        config = folder / "prometheus.yaml"
        config.write_text(config.read_text().replace("127.0.0.1:9464", target)
                          .replace("15s", "1s"))
        self.config = config
        self.log = open(folder / "log", "w")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=self.log)

    def get(self, path, **query):
        url = f"http://127.0.0.1:{self.port}{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=20) as answer:
            return json.load(answer)

    def rows(self, expression):
        return self.get("/api/v1/query", query=expression)["data"]["result"]

    def target(self):
        try:
            targets = self.get("/api/v1/targets")["data"]["activeTargets"]
        except OSError:
            return None
        return targets[0] if targets and targets[0]["health"] != "unknown" else None

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def page_facts(facts, url, token):
    status, text = page(url, token)
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                             capture_output=True, check=False)
    facts.check("promtool has nothing to say about the page", status == 200
                and checked.returncode == 0 and not checked.stderr, checked.stderr + text)
    # Three packs of two sources failed.
    for wanted in ('kaname_task_attempts_total{outcome="failed",reason="DeviceFault"} 6\n',
                   'kaname_task_attempts_total{outcome="done",reason=""} 4\n',
                   'kaname_stage_seconds_count{verb="mesh"} 1\n',
                   'kaname_stage_seconds_count{verb="solve"} 2\n',
                   'kaname_sources_total 2\n', 'kaname_jobs_active 0\n',
                   'kaname_grpc_requests_total{method="kaname.v1.Jobs/CreateJob",code="OK"} 1\n',
                   'kaname_pack_fill_ratio_bucket{le="0.5"} '):
        facts.check(f"the page has {wanted.strip()}", wanted in text, text)
    series = [line for line in text.splitlines() if line and not line.startswith("#")]
    facts.check(f"it has few series ({len(series)})", len(series) < 600)
    return text


def start_facts(facts, url, token):
    """The gateway asked every method for its role at the start, which is no call."""
    _, text = page(url, token)
    calls = [line for line in text.splitlines() if line.startswith("kaname_grpc_requests_total{")]
    facts.check("a start alone counts no call that was refused",
                calls and not [line for line in calls if "FAILED_PRECONDITION" in line], calls)


def scrape_facts(facts, prometheus, source):
    target = wait_until("a scrape", PATIENCE_S, prometheus.target)
    facts.check("Prometheus scrapes the server", target["health"] == "up", target)
    wait_until("series", PATIENCE_S, lambda: prometheus.rows("kaname_uptime_seconds"))
    n = missing = 0
    for where, expression in queries_of(source):
        n += 1
        answer = None
        try:
            answer = prometheus.get("/api/v1/query", query=expression)
        except OSError as error:
            missing += 1
            facts.check(f"{where}: the query is taken", False, f"{expression}: {error}")
            continue
        for selector in selectors_of(expression):
            name = re.match(r"\w+", selector).group(0)
            # Counts of what has not happened have no line: their metric without the label has.
            known = prometheus.rows(selector) or prometheus.rows(
                re.sub(r'(state|outcome|code|method|kind)[!=]~?"[^"]*",?', "", selector))
            if not known:
                missing += 1
                facts.check(f"{where}: {selector} is in the scrape", False,
                            f"{expression}\n{prometheus.rows(name)}")
        assert answer["status"] == "success"
    facts.check(f"all {n} queries of rules and dashboard find their series", missing == 0)
    rules = prometheus.get("/api/v1/rules")["data"]["groups"][0]["rules"]
    facts.check("Prometheus evaluates every rule", len(rules) >= 15 and all(
        rule["health"] in ("ok", "unknown") for rule in rules), rules)


def dashboard_facts(facts, source):
    board = json.loads((source / "deploy/monitoring/grafana-dashboard.json").read_text())
    ids = [panel["id"] for panel in board["panels"]]
    facts.check("panels have ids of their own and do not overlap", len(set(ids)) == len(ids)
                and len({(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]})
                == len(ids))
    used = set(re.findall(r"kaname_[a-z_]+", json.dumps(board)))
    facts.check("it has the queue, the GPUs and the database",
                {"kaname_oldest_ready_age_seconds", "kaname_gpu_power_watts",
                 "kaname_db_dead_tuples"} <= used)


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    nvml = bin_dir / "libkaname_fake_nvml.so"
    if not nvml.exists() or not shutil.which("prometheus") or not shutil.which("promtool"):
        print("no fake driver, or no prometheus (deploy/scripts/packages.sh test)")
        return SKIP
    facts = Facts()
    dashboard_facts(facts, source_dir)
    rules = subprocess.run(["promtool", "check", "rules",
                            source_dir / "deploy/monitoring/alerts.yaml"], text=True,
                           capture_output=True, check=False)
    facts.check("promtool takes the rules", rules.returncode == 0, rules.stdout + rules.stderr)
    with running_service(bin_dir, ["--workers", "0", "--metrics", "127.0.0.1:0"]) as service:
        count, compute = service.work / "count", service.work / "compute"
        count.write_text("0\n")
        compute.write_text(COMPUTE.format(gpu=GPU, count=count, compute=bin_dir / "kaname-compute"))
        compute.chmod(0o755)
        told = json.loads((service.state / "client.json").read_text())
        with open(service.work / "agent.log", "w") as log:
            agent = subprocess.Popen(
                [bin_dir / "kaname-agent", "--server", told["address"], "--token-file",
                 service.state / "worker.token", "--work", service.state / "agent",
                 "--compute", compute], env=dict(os.environ, KANAME_NVML=str(nvml)), stderr=log)
        prometheus = None
        try:
            url = re.search(r"metrics at (\S+)", service.log()).group(1)
            start_facts(facts, url, told["token"])
            job = service.json("submit", source_dir / "tests/e2e/data/tiny.yaml")["id"]
            wait_until("three faults", PATIENCE_S, lambda: any(
                worker["state"] == "cordoned" for worker in service.json("worker", "list")["workers"]))
            service.call("worker", "uncordon", GPU)
            service.call("watch", job, timeout=PATIENCE_S)
            token = service.call("token", "make", "prometheus", "--role", "viewer").stdout.strip()
            page_facts(facts, url, token)
            prometheus = Prometheus(service.work, source_dir, url.split("/")[2], token)
            config = subprocess.run(["promtool", "check", "config", prometheus.config], text=True,
                                    capture_output=True, check=False)
            facts.check("promtool takes the configuration", config.returncode == 0,
                        config.stdout + config.stderr)
            scrape_facts(facts, prometheus, source_dir)
        finally:
            if prometheus:
                prometheus.stop()
            agent.terminate()
            agent.wait()
            if facts.failed:
                print((service.work / "agent.log").read_text())
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
