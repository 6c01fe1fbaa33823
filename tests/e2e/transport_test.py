#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How a server is reached: its socket, TLS over a network, and to whom no token goes.

Usage: transport_test.py BIN_DIR. Prints one line per fact; exits 1 when one fails. Servers and calls stand side by
side: whoever gets no answer insists for eight seconds.
"""
import contextlib
import json
import os
import pathlib
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from free_ports import free_ports
from service_harness import (BAD_INPUT, DENIED, UNAVAILABLE, Facts, running_service, side_by_side,
                             wait_until)

STRANGER = 4711


def recorded(service):
    return json.loads((service.state / "client.json").read_text())


def elsewhere(service, **variables):
    """The variables of somebody who has no state folder of this server."""
    return {"KANAME_STATE": str(service.work / "nowhere"), **variables}


def fixed_address():
    """One that is still there for another listener once the server has ended."""
    return f"127.0.0.1:{free_ports(1)[0]}"


@contextlib.contextmanager
def listener(address, owner=None):
    """Somebody who takes what comes and keeps it; as another user where `owner` is given."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    heard = bytearray()
    with socket.socket(family) as server:
        if owner is not None and family == socket.AF_INET:
            os.fchown(server.fileno(), owner, owner)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen()
        if owner is not None and family == socket.AF_UNIX:
            os.chown(address, owner, owner)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = server.accept()
                    threading.Thread(target=take, args=(peer,), daemon=True).start()

        def take(peer):
            with contextlib.suppress(OSError), peer:
                peer.sendall(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))  # HTTP/2: empty SETTINGS
                while piece := peer.recv(65536):
                    heard.extend(piece)

        threading.Thread(target=serve, daemon=True).start()
        yield heard
        server.shutdown(socket.SHUT_RDWR)


def answer_to_pings(path, n, every_s):
    """Pings of a connection without calls; the server's last word to it, 0 when it stays."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(path)
        peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        with contextlib.suppress(BrokenPipeError):  # thrown out, and what it said is still there
            for _ in range(n):
                peer.sendall(bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + bytes(8))
                time.sleep(every_s)
        peer.settimeout(1)
        said = peer.recv(65536)
    while said:
        size = int.from_bytes(said[:3], "big")
        if said[3] == 7:
            return said[9 + 4:9 + size]
        said = said[9 + size:]
    return 0


def socket_facts(facts, bin_dir):
    with running_service(bin_dir, ["--workers", "0", "--http", "none"]) as service:
        address = recorded(service)["address"]
        path = pathlib.Path(address.removeprefix("unix:"))
        facts.check("by default it listens on a socket in its state folder",
                    address.startswith("unix:") and stat.S_ISSOCK(path.stat().st_mode)
                    and service.state in path.parents, address)
        facts.check("the socket's folder is its user's alone",
                    stat.S_IMODE(path.parent.stat().st_mode) == 0o700)
        tables = pathlib.Path("/proc/net/tcp").read_text().splitlines()
        inodes = {line.split()[9] for line in tables[1:] if line.split()[3] == "0A"}
        own = set()
        for pid in service.pids("kaname-server"):
            for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    own.add(os.readlink(entry))
        facts.check("and without a page on no port", "http" not in recorded(service) and not any(f"socket:[{inode}]" in own for inode in inodes))
        facts.check("kaname reaches it there", service.json("list") is not None)
        done = service.call("list", env=elsewhere(service, KANAME_SERVER=address,
                                                  KANAME_TOKEN=recorded(service)["token"]))
        facts.check("also by its address", done.returncode == 0, done.stderr)
        facts.check("a client may ping every second or so", answer_to_pings(str(path), 5, 1.1) == 0)
        service.down()
        facts.check("it leaves nothing that answers", service.call("list").returncode == UNAVAILABLE)


def squatter_facts(facts, bin_dir):
    with running_service(bin_dir, ["--workers", "0", "--listen", fixed_address()]) as service:
        host, _, port = recorded(service)["listen"].rpartition(":")
        token = recorded(service)["token"]
        (service.work / "old").mkdir()
        # client.json as versions before the socket wrote it.
        (service.work / "old/client.json").write_text(
            json.dumps({"address": f"{host}:{port}", "token": token}))
        old = {"KANAME_STATE": str(service.work / "old")}
        facts.check("an old client.json goes on working",
                    service.call("list", env=old).returncode == 0)
        service.down()
        if os.geteuid() != 0:
            print("skipped: only root can listen as somebody else")
            return
        with listener((host, int(port)), STRANGER) as heard:
            done = service.call("list", env=old)
            facts.check("whoever took the server's port gets no token",
                        done.returncode == UNAVAILABLE and not heard and f"user {STRANGER}" in done.stderr, done.stderr)
        path = pathlib.Path(recorded(service)["address"].removeprefix("unix:"))
        path.unlink(missing_ok=True)
        with listener(str(path), STRANGER) as heard:
            done = service.call("list")
            facts.check("nor does whoever took its socket",
                        done.returncode == DENIED and not heard
                        and f"user {STRANGER}" in done.stderr, done.stderr)
        path.unlink(missing_ok=True)
        # To see that the listener hears what is sent: this user's own is trusted.
        with listener((host, int(port))) as heard:
            caller = subprocess.Popen([service.bin / "kaname", "list"], env={**service.env, **old},
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_until("the call", 20, lambda: heard)
                facts.check("a listener of this user is taken for the server", True)
            finally:
                caller.kill()
                caller.wait()


def refusal_facts(facts, bin_dir, work):
    def refusal(*options):
        done = subprocess.run([pathlib.Path(bin_dir) / "kaname-server", "--state", work / "none",
                               *options], capture_output=True, text=True, timeout=30, check=False)
        return done.returncode, done.stderr

    open_to_all = work / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    for program in (["kaname-server"], ["kaname", "up"]):
        done = subprocess.run([pathlib.Path(bin_dir) / program[0], *program[1:], "--state",
                               open_to_all], capture_output=True, text=True, timeout=30,
                              check=False)
        facts.check(f"{' '.join(program)} takes no state folder that others may write to",
                    done.returncode == DENIED and f"{open_to_all}: must not be writable" in
                    done.stderr and "mode 0777" in done.stderr, (done.returncode, done.stderr))
    code, said = refusal("--listen", "0.0.0.0:0")
    facts.check("beyond loopback without TLS is refused, with what to do",
                code == BAD_INPUT and "--tls self-signed" in said, said)
    code, said = refusal("--listen", "0.0.0.0:0", "--insecure")
    facts.check("also with --insecure", code == BAD_INPUT and "--tls self-signed" in said, said)
    code, said = refusal("--metrics", "0.0.0.0:0")
    facts.check("the page of metrics too", code == BAD_INPUT and "--metrics" in said, said)
    code, said = refusal("--http", "0.0.0.0:0")
    facts.check("and downloads over HTTP", code == BAD_INPUT and "--http" in said, said)
    code, said = refusal("--listen", "127.0.0.1:0", "--tls-cert", "/dev/null")
    facts.check("a certificate without its key is refused", code == BAD_INPUT, said)
    facts.check("nothing was made", not (work / "none/tls").exists())


def curl(service, token, *options):
    """The status of /metrics over HTTP, and curl's exit code."""
    url = re.search(r"pages at (\S+)", service.log()).group(1) + "/metrics"
    done = subprocess.run(["curl", "-s", "-o", service.work / "page", "-w", "%{http_code}", "-H",
                           f"Authorization: Bearer {token}", *options, url],
                          capture_output=True, text=True, timeout=60, check=False)
    return int(done.stdout), done.returncode


def tls_facts(facts, bin_dir):
    options = ["--workers", "0", "--listen", fixed_address(), "--tls", "self-signed", "--http",
               "127.0.0.1:0"]
    with running_service(bin_dir, options) as service, ThreadPoolExecutor() as waiting:
        told = recorded(service)
        files = [service.state / "tls" / name for name in ("key.pem", "certificate.pem")]
        facts.check("key and certificate are its user's alone",
                    all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files))
        at = {"KANAME_SERVER": told["listen"], "KANAME_TOKEN": told["token"]}
        refused = waiting.submit(service.call, "list", env=elsewhere(service, **at))
        facts.check("client.json vouches for the certificate",
                    service.call("list", env={"KANAME_SERVER": told["listen"]}).returncode == 0)
        done = service.call("list", "--ca", files[1], env=elsewhere(service, **at))
        facts.check("--ca does", done.returncode == 0, done.stderr)
        done = service.call("list", env=elsewhere(service, **at, KANAME_CA=str(files[1])))
        facts.check("KANAME_CA does", done.returncode == 0, done.stderr)
        status, code = curl(service, told["token"], "--cacert", files[1])
        facts.check("pages over HTTP come encrypted, with the same certificate",
                    status == 200 and b"kaname_tasks" in (service.work / "page").read_bytes(),
                    (status, code))
        facts.check("which others do not trust", curl(service, told["token"]) == (0, 60))
        done = service.call("page", "--print")
        facts.check("kaname page trusts it", done.returncode == 0
                    and done.stdout.startswith("https://127.0.0.1:"), done.stderr)
        facts.check("a wrong token gets nothing",
                    curl(service, "guess", "--cacert", files[1])[0] == 401)
        agent = subprocess.Popen(
            [service.bin / "kaname-agent", "--server", told["listen"], "--ca", files[1],
             "--token-file", service.state / "worker.token", "--work", service.work / "agent",
             "--name", "remote", "--device", "cpu"], stderr=subprocess.DEVNULL)
        try:
            wait_until("the agent over TLS is listed", 20, lambda: "remote" in service.call(
                "worker", "list").stdout)
            facts.check("an agent works over TLS", True)
        finally:
            agent.terminate()
            agent.wait(20)
        strange = service.work / "strange.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", service.work / "strange.key", "-out", strange, "-days", "2", "-subj",
                "/CN=kaname-server", cwd=service.work)
        done = service.call("list", "--ca", strange, env=elsewhere(service, **at))
        facts.check("another certificate than the server's: what to do, and no line of the library",
                    done.returncode == UNAVAILABLE and "copy tls/certificate.pem" in done.stderr
                    and "is it running" not in done.stderr and "ssl_transport" not in done.stderr
                    and done.stderr.startswith("error: "), done.stderr)
        done = service.call("list", "--ca", files[1], env=elsewhere(
            service, **{**at, "KANAME_SERVER": told["http"].removeprefix("https://")}))
        facts.check("the page's address is told from that of --listen",
                    done.returncode == UNAVAILABLE and "HOST:PORT of the server's --listen" in done.stderr
                    and "is it running" not in done.stderr, done.stderr)
        nobody = refused.result()
        facts.check("without either nobody gets in", nobody.returncode == UNAVAILABLE, nobody.stderr)
        port = int(told["listen"].rpartition(":")[2])
        service.down()
        with listener(("127.0.0.1", port)) as heard:
            done = service.call("list", env={"KANAME_SERVER": told["listen"]})
            facts.check("whoever listens there without the key gets no token",
                        done.returncode == UNAVAILABLE
                        and told["token"].encode() not in heard, done.stderr)


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True, timeout=60)


def mutual_facts(facts, bin_dir, work):
    for name in ("ca", "stranger"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2", "-subj",
                f"/CN={name}", cwd=work)
    (work / "san").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", cwd=work)
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-out", f"{name}.pem", "-days", "2", "-extfile", "san",
                cwd=work)
    options = ["--workers", "0", "--listen", "127.0.0.1:0", "--tls-cert", str(work / "server.pem"),
               "--tls-key", str(work / "server.key"), "--tls-client-ca", str(work / "ca.pem"),
               "--http", "127.0.0.1:0"]
    with running_service(bin_dir, options) as service:
        told = recorded(service)
        base = elsewhere(service, KANAME_SERVER=told["listen"], KANAME_TOKEN=told["token"],
                         KANAME_CA=str(work / "ca.pem"))

        def code(name):
            return service.call("list", env={**base, "KANAME_CERT": str(work / f"{name}.pem"),
                                             "KANAME_KEY": str(work / f"{name}.key")}).returncode

        known, stranger, nobody = side_by_side(
            lambda: code("client"), lambda: code("stranger"),
            lambda: service.call("list", env=base).returncode)
        facts.check("a caller with a certificate of the authority gets in", known == 0)
        facts.check("one with another does not", stranger == UNAVAILABLE)
        facts.check("one without does not", nobody == UNAVAILABLE)
        def page(name):
            shown = ["--cert", work / f"{name}.pem", "--key", work / f"{name}.key"] if name else []
            return curl(service, told["token"], "--cacert", work / "ca.pem", *shown)[0]

        facts.check("over HTTP too", page("client") == 200)
        facts.check("and nobody else", page("stranger") == 0 and page("") == 0)
        facts.check("the programs of this machine need none",
                    service.call("list").returncode == 0)


def main():
    facts, bin_dir = Facts(), sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="kaname-tls-") as folder:
        work = pathlib.Path(folder)
        refusal_facts(facts, bin_dir, work)
        side_by_side(lambda: socket_facts(facts, bin_dir), lambda: squatter_facts(facts, bin_dir),
                     lambda: tls_facts(facts, bin_dir), lambda: mutual_facts(facts, bin_dir, work))
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
