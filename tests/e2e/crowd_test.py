#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A worker beside a crowd: no heartbeat of its is refused, and it is not lost.

Usage: crowd_test.py BIN_DIR [--watches N] [--reflections N] [--idle N] [--dripping N] [--agents N]
                     [--slow N] [--preflights N] [--seconds S] [--json]. Without options the sizes of the test.
Prints one line per fact, the heartbeats' times (milliseconds: p50, p99, longest) and what the
server's memory grew by (MiB: for each connection without a token, which has said that it speaks
HTTP/2, and by all readers of files that read no further); exits 1 when a fact fails.
"""
import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import re
import socket
import sys
import threading
import time
import uuid

from service_harness import SKIP, UNAVAILABLE, Facts, running_service, wait_until



def stubs(bin_dir):
    """The Python package's own, as it is built beside the programs."""
    package = pathlib.Path(bin_dir).resolve().parent / "python"
    if not (package / "kaname/_proto/kaname/v1/jobs_service_pb2_grpc.py").exists():
        print(f"the Python package is not built in {package}")
        sys.exit(SKIP)
    sys.path.insert(0, str(package))
    try:
        import grpc
        from kaname._proto.kaname.v1 import (artifacts_service_pb2, artifacts_service_pb2_grpc,
                                             jobs_service_pb2, jobs_service_pb2_grpc,
                                             workers_service_pb2, workers_service_pb2_grpc)
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(SKIP)
    return (grpc, jobs_service_pb2, jobs_service_pb2_grpc, workers_service_pb2,
            workers_service_pb2_grpc, artifacts_service_pb2, artifacts_service_pb2_grpc)


def resident_mib(service):
    (pid,) = service.pids("kaname-server")
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


class Crowd:
    """What others hold open at one server."""

    def __init__(self, libraries, address, metadata, options):
        self.grpc, self.jobs, self.jobs_grpc = libraries[:3]
        self.files, self.files_grpc = libraries[5:]
        self.address, self.metadata, self.options = address, metadata, options
        self.channels, self.calls, self.sockets, self.told = [], [], [], set()

    def channel(self):
        # A connection of its own: gRPC shares those whose options are equal.
        self.channels.append(self.grpc.insecure_channel(
            self.address, options=[("kaname.test.connection", len(self.channels))]))
        return self.channels[-1]

    def watch(self, job, count):
        """`count` watches, 150 to a connection; each has come when its first message has."""
        stub = None
        for number in range(count):
            if number % 150 == 0:
                stub = self.jobs_grpc.JobsStub(self.channel())
            self.calls.append(stub.WatchJob(self.jobs.WatchJobRequest(name=job), timeout=600,
                                            metadata=self.metadata))
        return sum(1 for call in self.calls if next(iter(call), None) is not None)

    def reflect(self, count):
        """Streams of reflection, which nobody has a token for."""
        refused = []
        for number in range(count):
            if number % 100 == 0:
                channel = self.channel()
            call = channel.stream_stream(
                "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")(
                    iter([b""]), timeout=600)
            refused.append(call)
        return sum(1 for call in refused if self.is_refused(call))

    def is_refused(self, call):
        try:
            next(call)
        except self.grpc.RpcError as error:
            self.told.add(error.code().name)
            return error.code() == self.grpc.StatusCode.UNAUTHENTICATED
        self.told.add("a message")
        return False

    def idle(self, port, count):
        """Connections that begin as HTTP/2 does and say no more."""
        settings = b"\0\0\0\x04\0\0\0\0\0"
        for _ in range(count):
            self.sockets.append(socket.create_connection(("127.0.0.1", port)))
            self.sockets[-1].sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings)

    def put(self, size):
        """The hash of a file of so many bytes, uploaded."""
        stub, data = self.files_grpc.ArtifactsStub(self.channel()), os.urandom(1 << 20)
        whole = hashlib.sha256()
        for _ in range(size >> 20):
            whole.update(data)
        header = self.files.PutRequest(header=self.files.PutRequest.Header(
            sha256=whole.hexdigest(), bytes=size))
        stub.Put(iter([header] + [self.files.PutRequest(chunk=data)] * (size >> 20)),
                 metadata=self.metadata, timeout=60)
        return whole.hexdigest()

    def read_slowly(self, sha256, count, metadata_of):
        """Readers that take one message and no more, ten to a connection and fifty to a token: it
        may have 64 downloads open."""
        for number in range(count):
            if number % 10 == 0:
                stub = self.files_grpc.ArtifactsStub(self.channel())
            if number % 50 == 0:
                metadata = metadata_of(number // 50)
            call = stub.ReadArtifact(self.files.ReadArtifactRequest(sha256=sha256),
                                     metadata=metadata, timeout=600)
            next(iter(call))
            self.calls.append(call)

    def drip(self, port, count, stop):
        """HTTP clients that ask for ever, a byte at a time."""
        def ask(number):
            while not stop.is_set():
                with contextlib.suppress(OSError), \
                        socket.create_connection(("127.0.0.1", port)) as client:
                    client.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
                    while not stop.wait(0.2):
                        client.sendall(b"x")

        for number in range(count):
            threading.Thread(target=ask, args=(number,), daemon=True).start()

    def leave(self):
        for call in self.calls:
            call.cancel()
        for channel in self.channels:
            channel.close()
        for one in self.sockets:
            one.close()


class Worker:
    """One that claims and beats, and notes how long each heartbeat took."""

    def __init__(self, libraries, address, token):
        grpc, _, _, self.pb, pb_grpc = libraries[:5]
        self.grpc = grpc
        self.stub = pb_grpc.WorkersStub(grpc.insecure_channel(
            address, options=[("kaname.test.worker", str(uuid.uuid4()))]))
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.id = str(uuid.uuid4())
        self.times, self.refused, self.unknown, self.claims = [], [], 0, 0
        self.stub.Register(self.pb.RegisterRequest(worker_id=self.id, name="crowded", ranks=1,
                                                   threads=1), metadata=self.metadata, timeout=10)

    def beat(self):
        begin = time.monotonic()
        try:
            reply = self.stub.Heartbeat(self.pb.HeartbeatRequest(worker_id=self.id),
                                        metadata=self.metadata, timeout=5)
            self.unknown += not reply.known
        except self.grpc.RpcError as error:
            self.refused.append(f"{error.code()}: {error.details()}")
        self.times.append(1e3 * (time.monotonic() - begin))

    def claim_on(self, stop):
        while not stop.is_set():
            with contextlib.suppress(self.grpc.RpcError):
                self.stub.Claim(self.pb.ClaimRequest(
                    worker_id=self.id, claim_id=str(uuid.uuid4()), pools=["nobody"], wait_s=1.0),
                    metadata=self.metadata, timeout=10)
                self.claims += 1


class Fleet:
    """Idle agents: each with a connection of its own, a claim that waits and a heartbeat in five
    seconds, all driven by a few threads."""

    OF_A_TOKEN = 60  # one token has at most 64 live workers

    def __init__(self, libraries, address, tokens, count, stop):
        self.workers = [Worker(libraries, address, tokens[k // self.OF_A_TOKEN])
                        for k in range(count)]
        self.stop = stop
        for part in range(min(count, 4)):
            threading.Thread(target=self.drive, args=(self.workers[part::4],), daemon=True).start()

    def drive(self, workers):
        waiting = {}
        while not self.stop.is_set():
            for worker in workers:
                if worker not in waiting or waiting[worker].done():
                    waiting[worker] = worker.stub.Claim.future(worker.pb.ClaimRequest(
                        worker_id=worker.id, claim_id=str(uuid.uuid4()), pools=["nobody"],
                        wait_s=10.0), metadata=worker.metadata, timeout=20)
                worker.beat()
                if self.stop.wait(min(0.05, 5 / len(self.workers))):
                    return


def scraped(service, port):
    import urllib.request
    token = json.loads((service.state / "client.json").read_text())["token"]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics",
                                     headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as page:
        return page.read().decode()


def reader(service, name):
    """Metadata of one more token that may read."""
    token = service.call("token", "make", name, "--role", "viewer").stdout.strip()
    return (("authorization", f"Bearer {token}"),)


def run(options):
    facts, libraries = Facts(), stubs(options.bin_dir)
    request_file = pathlib.Path(__file__).resolve().parent / "data/tiny.yaml"
    up = ["--workers", "0", "--lease-s", str(options.lease_s), "--listen", "127.0.0.1:0", "--metrics",
          "127.0.0.1:0"]
    stop = threading.Event()
    with running_service(options.bin_dir, up) as service:
        told = json.loads((service.state / "client.json").read_text())
        address, metadata = told["listen"], (("authorization", f"Bearer {told['token']}"),)
        port = int(address.rpartition(":")[2])
        page = int(re.search(r"metrics at http://127\.0\.0\.1:(\d+)", service.log()).group(1))
        job = service.json("submit", str(request_file))["id"]
        worker = Worker(libraries, address,
                        (service.state / "worker.token").read_text().strip())
        threading.Thread(target=worker.claim_on, args=(stop,), daemon=True).start()
        crowd = Crowd(libraries, address, metadata, options)
        beats = threading.Thread(target=lambda: [worker.beat() or stop.wait(0.02)
                                                 for _ in iter(stop.is_set, True)], daemon=True)
        beats.start()
        before = resident_mib(service)
        crowd.idle(port, options.idle)
        time.sleep(1)
        of_idle = (resident_mib(service) - before) / max(1, options.idle)
        facts.check("a connection without a token costs less than 1 MiB", of_idle < 1, of_idle)
        tokens = [service.call("token", "make", f"node{k}", "--role", "worker").stdout.strip()
                  for k in range(-(-options.agents // Fleet.OF_A_TOKEN))]
        fleet = Fleet(libraries, address, tokens, options.agents, stop)
        crowd.drip(page, options.dripping, stop)
        refused = crowd.reflect(options.reflections)
        facts.check(f"{options.reflections} streams of reflection are refused at once",
                    refused == options.reflections, (refused, crowd.told))
        watched = crowd.watch(f"jobs/{job}", options.watches)
        facts.check(f"{options.watches} watches are open", watched == options.watches, watched)
        facts.check("the page of metrics comes beside dripping clients",
                    "kaname_workers" in scraped(service, page))
        before = resident_mib(service)
        crowd.read_slowly(crowd.put(64 << 20), options.slow,
                          lambda number: reader(service, f"reader-{number}"))
        of_slow = resident_mib(service) - before
        facts.check(f"{options.slow} readers that read no further cost less than 64 MiB",
                    of_slow < 64, of_slow)
        submits = [threading.Thread(target=lambda: codes.append(
            service.call("submit", str(request_file)).returncode)) for _ in range(options.preflights)]
        codes = []
        for one in submits:
            one.start()
        end = time.monotonic() + max(options.seconds, 1.5 * options.lease_s)
        while time.monotonic() < end:
            time.sleep(0.1)
        for one in submits:
            one.join()
        facts.check(f"{options.preflights} submits at once are taken, or told to come again",
                    len(codes) == options.preflights and set(codes) <= {0, UNAVAILABLE}, codes)
        facts.check("others are served", service.json("list") is not None)
        workers = service.call("worker", "list").stdout
        stop.set()
        beats.join()
        crowd.leave()
        facts.check("no heartbeat was refused", not worker.refused, worker.refused[:3])
        facts.check("the worker was not lost", worker.unknown == 0 and "lost" not in workers,
                    workers)
        facts.check("its claims were answered", worker.claims > 0)
        facts.check(f"{options.agents} more agents are connected and none is refused",
                    not any(one.refused or one.unknown for one in fleet.workers),
                    [one.refused[:1] for one in fleet.workers if one.refused][:3])
        times = sorted(worker.times)
        figures = {"heartbeats": len(times), "p50_ms": times[len(times) // 2],
                   "p99_ms": times[int(0.99 * (len(times) - 1))], "longest_ms": times[-1],
                   "mib_of_a_connection": of_idle, "rss_mib_of_slow_clients": of_slow}
        print(json.dumps(figures) if options.json else "heartbeats: " + ", ".join(
            f"{name} {value:.4g}" for name, value in figures.items()))
        wait_until("the server goes on", 10, lambda: service.json("list") is not None)
    return 1 if facts.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin_dir")
    parser.add_argument("source", nargs="?", help="of ctest; not used")
    for name, usual in (("watches", 300), ("reflections", 300), ("idle", 200), ("dripping", 20),
                        ("agents", 20), ("slow", 20), ("preflights", 10)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--lease-s", type=int, default=4,
                        help="more for hundreds of agents, which beat every five seconds")
    parser.add_argument("--json", action="store_true")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
