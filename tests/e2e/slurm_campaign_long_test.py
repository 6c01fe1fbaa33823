#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Nankai campaign through workers of a real Slurm and through workers of the server's own machine: equal datasets.

Usage: slurm_campaign_long_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import textwrap
import time

import numpy as np

from free_ports import free_ports
from service_harness import SKIP, Facts, Service, greens
from slurm_cluster import running_cluster, why_not

MEMBERS = 6


@contextlib.contextmanager
def service_of(bin_dir, config, env=None):
    """A server with this configuration and a state folder of its own: nothing is reused from another."""
    work = tempfile.mkdtemp(prefix="kaname-e2e-")
    os.chmod(work, 0o755)
    service = Service(bin_dir, work)
    service.env.update(env or {})
    path = service.work / "server.yaml"
    path.write_text(textwrap.dedent(config))
    service.up_options = ["--config", path]
    try:
        service.up()
        yield service
    finally:
        service.call("down", "--workers")
        for program in ("kaname-server", "kaname-agent", "kaname-compute", "postgres"):
            service.kill(program)
        shutil.rmtree(work, ignore_errors=True)


def run(facts, service, campaign, where):
    """{member's label: Green's functions} of the campaign."""
    began = time.monotonic()
    done = service.call("campaign", "run", campaign, "--wait", "--output", "out", timeout=3600)
    facts.check(f"campaign run --wait ends through {where} ({time.monotonic() - began:.0f} s)",
                done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:] + service.log())
    members = {path.stem: greens(path)["greens"]
               for path in sorted((service.work / "out/members").glob("*.h5"))}
    facts.check(f"{MEMBERS} members have a dataset", len(members) == MEMBERS, sorted(members))
    facts.check("and there is an index", (service.work / "out/index.nc").is_file())
    return members


def main(bin_dir, source_dir):
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(SKIP)
    campaign = pathlib.Path(source_dir).resolve() / "docs/examples/nankai_campaign/campaign.yaml"
    facts = Facts()
    slurm = f"""\
        schema: kaname.v1.ServerConfig
        listen: 127.0.0.1:{free_ports(1)[0]}
        launchers:
          local: {{workers: 0}}
          slurm:
            poll_s: 2
            pools:
              - {{name: setup, serves: [cpu], partition: long, device: cpu, time_limit_minutes: 30}}
              - {{name: solver, serves: [solve], partition: long, device: cpu, time_limit_minutes: 30}}
        """
    with running_cluster() as cluster:
        with service_of(bin_dir, slurm, {"SLURM_CONF": str(cluster.conf)}) as service:
            through_slurm = run(facts, service, campaign, "Slurm")
            jobs = [name for _, name, _ in cluster.jobs() if name.startswith("kaname-")]
            facts.check("its workers were jobs of both pools", len(jobs) >= 2, cluster.jobs())
    local = """\
        schema: kaname.v1.ServerConfig
        launchers:
          local: {workers: 1, threads: 1, device: cpu}
        """
    with service_of(bin_dir, local) as service:
        through_agents = run(facts, service, campaign, "local workers")
    for label, values in through_agents.items():
        other = through_slurm.get(label)
        equal = other is not None and np.array_equal(values, other, equal_nan=True)
        off = np.nan if other is None else np.nanmax(np.abs(values - other))
        facts.check(f"{label}: equal to the last bit", equal, f"off by {off:.1e} m")
    return facts.failed


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
