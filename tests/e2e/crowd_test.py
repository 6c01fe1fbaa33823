#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A worker beside a crowd: no heartbeat of its is refused, and it is not lost.

Usage: crowd_test.py BIN_DIR [--watches N] [--reflections N] [--idle N] [--dripping N]
                     [--seconds S] [--json]. Without options the sizes of the test. Prints one line
per fact and the heartbeats' times (milliseconds: p50, p99, longest); exits 1 when a fact fails.
"""
import argparse
import contextlib
import json
import pathlib
import re
import socket
import sys
import threading
import time
import uuid

from service_harness import SKIP, Facts, running_service, wait_until

LEASE_S = 4


def stubs(bin_dir):
    """The Python package's own, as it is built beside the programs."""
    package = pathlib.Path(bin_dir).resolve().parent / "python"
    if not (package / "kaname/_proto/kaname/v1/jobs_service_pb2_grpc.py").exists():
        print(f"the Python package is not built in {package}")
        sys.exit(SKIP)
    sys.path.insert(0, str(package))
    try:
        import grpc
        from kaname._proto.kaname.v1 import (jobs_service_pb2, jobs_service_pb2_grpc,
                                             workers_service_pb2, workers_service_pb2_grpc)
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(SKIP)
    return (grpc, jobs_service_pb2, jobs_service_pb2_grpc, workers_service_pb2,
            workers_service_pb2_grpc)


class Crowd:
    """What others hold open at one server."""

    def __init__(self, libraries, address, metadata, options):
        self.grpc, self.jobs, self.jobs_grpc = libraries[:3]
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
        for _ in range(count):
            self.sockets.append(socket.create_connection(("127.0.0.1", port)))

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
        grpc, _, _, self.pb, pb_grpc = libraries
        self.grpc = grpc
        self.stub = pb_grpc.WorkersStub(grpc.insecure_channel(address))
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


def scraped(service, port):
    import urllib.request
    token = json.loads((service.state / "client.json").read_text())["token"]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics",
                                     headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as page:
        return page.read().decode()


def run(options):
    facts, libraries = Facts(), stubs(options.bin_dir)
    spec = pathlib.Path(__file__).resolve().parent / "data/tiny.yaml"
    up = ["--workers", "0", "--lease-s", str(LEASE_S), "--listen", "127.0.0.1:0", "--metrics",
          "127.0.0.1:0"]
    stop = threading.Event()
    with running_service(options.bin_dir, up) as service:
        told = json.loads((service.state / "client.json").read_text())
        address, metadata = told["listen"], (("authorization", f"Bearer {told['token']}"),)
        port = int(address.rpartition(":")[2])
        page = int(re.search(r"metrics at http://127\.0\.0\.1:(\d+)", service.log()).group(1))
        job = service.json("submit", str(spec))["id"]
        worker = Worker(libraries, address,
                        (service.state / "worker.token").read_text().strip())
        threading.Thread(target=worker.claim_on, args=(stop,), daemon=True).start()
        crowd = Crowd(libraries, address, metadata, options)
        beats = threading.Thread(target=lambda: [worker.beat() or stop.wait(0.02)
                                                 for _ in iter(stop.is_set, True)], daemon=True)
        beats.start()
        crowd.idle(port, options.idle)
        crowd.drip(page, options.dripping, stop)
        refused = crowd.reflect(options.reflections)
        facts.check(f"{options.reflections} streams of reflection are refused at once",
                    refused == options.reflections, (refused, crowd.told))
        watched = crowd.watch(f"jobs/{job}", options.watches)
        facts.check(f"{options.watches} watches are open", watched == options.watches, watched)
        facts.check("the page of metrics comes beside dripping clients",
                    "kaname_workers" in scraped(service, page))
        end = time.monotonic() + max(options.seconds, 1.5 * LEASE_S)
        while time.monotonic() < end:
            time.sleep(0.1)
        facts.check("others are served", service.json("list") is not None)
        workers = service.call("worker", "list").stdout
        stop.set()
        beats.join()
        crowd.leave()
        facts.check("no heartbeat was refused", not worker.refused, worker.refused[:3])
        facts.check("the worker was not lost", worker.unknown == 0 and "lost" not in workers,
                    workers)
        facts.check("its claims were answered", worker.claims > 0)
        times = sorted(worker.times)
        figures = {"heartbeats": len(times), "p50_ms": times[len(times) // 2],
                   "p99_ms": times[int(0.99 * (len(times) - 1))], "longest_ms": times[-1]}
        print(json.dumps(figures) if options.json else "heartbeats: " + ", ".join(
            f"{name} {value:.4g}" for name, value in figures.items()))
        wait_until("the server goes on", 10, lambda: service.json("list") is not None)
    return 1 if facts.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin_dir")
    parser.add_argument("source", nargs="?", help="of ctest; not used")
    for name, usual in (("watches", 300), ("reflections", 300), ("idle", 200), ("dripping", 20)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--json", action="store_true")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
