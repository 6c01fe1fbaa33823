#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tokens, owners and the audit as users and administrators meet them, with a service of its own.

Usage: tokens_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import hashlib
import json
import pathlib
import shutil
import sys
import time

from service_harness import DENIED, Facts, running_service, wait_until

SOON_S = 5  # within which every server knows
END_S = 4


def processes_of(service):
    """Command lines and environments' names of all that belongs to the service."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            argv = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if str(service.state).encode() in argv:
            yield argv.decode(errors="replace")


def made(service, name, role, *options):
    done = service.call("token", "make", name, "--role", role, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def takes(service, token, *command):
    done = service.call(*(command or ("list",)), env={"KANAME_TOKEN": token})
    return done.returncode == 0


def takeover_facts(facts, service):
    """An installation of an earlier version: a file of hashes, a client.json, a worker.token."""
    old = {"cli": "1" * 64, "agent": "2" * 64, "hanako": "3" * 64}
    roles = {"cli": "admin", "agent": "worker", "hanako": "user"}
    service.state.mkdir(mode=0o700, parents=True)
    (service.state / "tokens").write_text("".join(
        f"{roles[name]} {name} {hashlib.sha256(token.encode()).hexdigest()}\n"
        for name, token in old.items()))
    (service.state / "tokens").chmod(0o600)
    (service.state / "client.json").write_text(json.dumps({"address": "", "token": old["cli"]}))
    (service.state / "worker.token").write_text(old["agent"] + "\n")
    service.up()
    facts.check("tokens of an earlier version go on working",
                takes(service, old["hanako"]) and takes(service, old["cli"], "audit"))
    recorded = json.loads((service.state / "client.json").read_text())["token"]
    facts.check("client.json and worker.token stay as they were", recorded == old["cli"]
                and (service.state / "worker.token").read_text().strip() == old["agent"])
    facts.check("the file is taken over once", not (service.state / "tokens").exists())
    return list(old.values())


def life_facts(facts, service):
    token = made(service, "bob", "user")
    facts.check("a token works at once", takes(service, token))
    listed = {row["name"]: row for row in service.json("token", "list")["tokens"]}
    facts.check("it is listed with its role, not with itself",
                listed["bob"]["role"] == "user" and token not in json.dumps(listed), listed)
    done = service.call("token", "make", "x", "--role", "user", env={"KANAME_TOKEN": token})
    facts.check("a user makes no tokens", done.returncode == DENIED, done.stderr)
    service.json("token", "revoke", "bob")
    began = time.monotonic()
    wait_until("revocation", SOON_S, lambda: not takes(service, token))
    facts.check(f"a revoked one is refused ({time.monotonic() - began:.1f} s)", True)
    short = made(service, "eve", "user", "--expires-days", str(END_S / 86400))
    facts.check("one with an end works until then", takes(service, short))
    wait_until("expiry", END_S + SOON_S, lambda: not takes(service, short))
    facts.check("and not after it", True)
    return [token, short]


def owner_facts(facts, service, request):
    ann, bob, olga = (made(service, name, role) for name, role in
                      (("ann", "user"), ("ben", "user"), ("olga", "operator")))
    job = json.loads(service.call("submit", request, "--json",
                                  env={"KANAME_TOKEN": ann}).stdout)["id"]
    refused = service.call("cancel", job, env={"KANAME_TOKEN": bob})
    facts.check("another user may not cancel it, and is told whose it is",
                refused.returncode == DENIED and '"ann"' in refused.stderr, refused.stderr)
    agent = wait_until("an agent", 60, lambda: list((service.state / "agents").glob("*.token")))[0]
    secret = agent.read_text().strip()
    facts.check("the agent has a token of its own, for nobody else to read",
                agent.stat().st_mode & 0o777 == 0o600
                and secret != (service.state / "worker.token").read_text().strip())
    watched = service.call("watch", job, env={"KANAME_TOKEN": bob})
    facts.check("anybody may watch it end", watched.returncode == 0,
                watched.stderr + service.log())
    facts.check("an operator may not delete it",
                service.call("delete", job, env={"KANAME_TOKEN": olga}).returncode == DENIED)
    facts.check("its owner may", takes(service, ann, "delete", job))
    told = [(row["principal"], row["method"], row["outcome"].split()[0].strip(":,"))
            for row in service.json("audit", "--limit", "200")["events"]
            if row["resource"] == f"jobs/{job}"]
    facts.check("the audit has what was done and what was refused", told == [
        ("ann", "DeleteJob", "ok"), ("olga", "DeleteJob", "refused"),
        ("ben", "CancelJob", "refused"), ("ann", "CreateJob", "ok")], told)
    return [ann, bob, olga, secret]


def gone_facts(facts, service, secret):
    """The agent's token ends with it."""
    service.kill("kaname-agent")
    digest = hashlib.sha256(secret.encode()).hexdigest()[:12]
    def revoked():
        return [row for row in service.json("token", "list")["tokens"]
                if row["id"] == digest and row["revoked_s"] > 0]
    wait_until("the agent's token to end", 30, revoked)
    facts.check("the token of an agent that was killed is revoked", True)


def main():
    bin_dir, source = sys.argv[1:3]
    facts = Facts()
    with running_service(bin_dir, ["--workers", "1", "--threads", "1", "--device", "cpu"]) as service:
        service.down()
        shutil.rmtree(service.state)
        secrets = takeover_facts(facts, service)
        secrets += life_facts(facts, service)
        secrets += owner_facts(facts, service, pathlib.Path(source).resolve() / "tests/e2e/data/tiny.yaml")
        seen = "".join(processes_of(service))
        logs = "".join(path.read_text(errors="replace") for path in service.state.rglob("*.log"))
        facts.check("no command line has a secret", not any(s in seen for s in secrets))
        facts.check("no log has a secret", not any(s in logs for s in secrets))
        gone_facts(facts, service, secrets[-1])
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
