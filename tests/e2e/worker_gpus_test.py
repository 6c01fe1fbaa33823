#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A worker with a GPU that is made up: telemetry, metrics, faults, cordon and its end.

The driver is tests/support/fake_nvml; kaname-compute is a script that answers the probe, lets its
first three solves end as a GPU with a memory error does, and then computes on the CPU.
Usage: worker_gpus_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

from service_harness import SKIP, NOT_FOUND, Facts, running_service, wait_until

GPU = "GPU-aaaaaaaa-0000-0000-0000-000000000000"
PATIENCE_S = 120
COMPUTE = """#!/bin/sh
if [ "$1" = probe ]; then
  echo '@kaname {{"type":"result","verb":"probe","result":{{"device":"cuda","reason":"","gpus":[{{"uuid":"{gpu}","name":"Fake"}}]}}}}'
  exit
fi
if [ "$1" = solve ] && [ "$(cat "{count}")" -lt 3 ]; then
  echo $(($(cat "{count}") + 1)) > "{count}"
  echo '@kaname {{"type":"error","code":"DeviceFault","message":"spmv: cudaErrorECCUncorrectable: ECC","violations":[],"device_fault":{{"call":"spmv","error":"cudaErrorECCUncorrectable","gpu":"{gpu}"}}}}'
  exit 5
fi
exec "{compute}" "$@"
"""


def page(url, token):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def worker(service):
    listed = service.json("worker", "list")["workers"]
    return listed[0] if listed else None


def telemetry_facts(facts, service):
    known = wait_until("telemetry", PATIENCE_S, lambda: (w := worker(service))
                       and w["gpus"] and "power_w" in w["gpus"][0] and w)
    gpu = known["gpus"][0]
    facts.check("worker list has the readings of the worker's GPU alone, in base units",
                len(known["gpus"]) == 1 and gpu["uuid"] == GPU and gpu["power_w"] == 412.5
                and gpu["utilisation_ratio"] == 0.73 and gpu["memory_used_bytes"] == 10**10
                and gpu["remapped_rows"]["pending"], known)
    text = service.call("worker", "list").stdout
    facts.check("and says them to people", f"{GPU} Fake H200: 73 % busy" in text
                and "413 W, 64 C" in text, text)
    url = re.search(r"metrics at (\S+)", service.log()).group(1)
    told = json.loads((service.state / "client.json").read_text())
    status, metrics = page(url, told["token"])
    facts.check("the page for Prometheus names the GPU", status == 200
                and f'kaname_gpu_power_watts{{gpu="{GPU}"}} 412.5\n' in metrics
                and 'kaname_workers{state="idle"} 1\n' in metrics, metrics)
    facts.check("and wants a token", page(url, "guess")[0] == 401)


def fault_facts(facts, service, data):
    job = service.json("submit", data / "tiny.yaml")["id"]
    cordoned = wait_until("three faults", PATIENCE_S, lambda: (w := worker(service))
                          and w["state"] == "cordoned" and w)
    facts.check("three faults cordon the GPU, with the reason",
                GPU in cordoned["reason"] and "3 faults" in cordoned["reason"]
                and "cudaErrorECCUncorrectable" in cordoned["reason"], cordoned)
    facts.check("the job is not lost", service.json("status", job)["state"] == "active")
    lifted = service.call("worker", "uncordon", GPU)
    facts.check("an operator puts it back to work", lifted.returncode == 0, lifted.stderr)
    ended = service.call("watch", job, timeout=PATIENCE_S)
    facts.check("and the job ends", ended.returncode == 0, ended.stderr + service.log())
    again = service.call("worker", "uncordon", GPU)
    facts.check("a GPU that is not cordoned: not found",
                again.returncode == NOT_FOUND and GPU in again.stderr, again.stderr)


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    nvml = bin_dir / "libkaname_fake_nvml.so"
    if not nvml.exists():
        print(f"{nvml} is not built")
        return SKIP
    facts = Facts()
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
        try:
            telemetry_facts(facts, service)
            fault_facts(facts, service, data=source_dir / "tests/e2e/data")
        finally:
            agent.terminate()
            agent.wait()
            if facts.failed:
                print((service.work / "agent.log").read_text())
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
