#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A specification of 16 MiB is submitted, computed, watched and streamed, and no reply that tells of
its job is over 1 MiB.

Usage: large_request_test.py BIN_DIR [SOURCE_DIR]. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import sys

from crowd_test import stubs
from service_harness import Facts, running_service

SIZE = 16 << 20
MOST = 1 << 20


def large(source, place):
    text = (source / "tests/e2e/data/tiny.yaml").read_text()
    (line,) = [one for one in text.splitlines() if one.startswith("description:")]
    words = "a long story of a small fault and its slip "
    # Between quotes, which yaml-cpp reads in half the time that it takes for words without.
    place.write_text(text.replace(line, f'description: "{words * (SIZE // len(words) + 1)}"'))
    return place


def main():
    bin_dir = sys.argv[1]
    source = pathlib.Path(__file__).resolve().parents[2]
    facts, (grpc, jobs, jobs_grpc, *_) = Facts(), stubs(bin_dir)
    from kaname._proto.kaname.v1 import greens_service_pb2, greens_service_pb2_grpc
    with running_service(bin_dir, ["--workers", "1", "--threads", "1"]) as service:
        request = large(source, service.work / "large.yaml")
        facts.check("the specification has 16 MiB", request.stat().st_size >= SIZE)
        job = service.json("submit", str(request))["id"]
        done = service.call("watch", job, "--json", timeout=300)
        last = json.loads(done.stdout.splitlines()[-1])
        facts.check("it is computed and watched to its end", last["event"] == "job_ended" and
                    done.returncode == 0, done.stdout[-2000:] + done.stderr)
        again = service.json("submit", str(request))
        facts.check("submitted again it is done at once", again["state"] == "done", again)
        fetched = service.call("stream", job, timeout=120)
        facts.check("its results are streamed", fetched.returncode == 0, fetched.stderr)

        told = json.loads((service.state / "client.json").read_text())
        # This client refuses messages larger than MOST.
        channel = grpc.insecure_channel(told.get("listen") or told["address"], options=[
            ("grpc.max_receive_message_length", MOST)])
        calls, greens = jobs_grpc.JobsStub(channel), greens_service_pb2_grpc.GreensStub(channel)
        who = {"metadata": (("authorization", f"Bearer {told['token']}"),), "timeout": 60}
        name = f"jobs/{job}"
        facts.check("status", calls.GetJob(jobs.GetJobRequest(name=name), **who).name == name)
        facts.check("list", len(calls.ListJobs(jobs.ListJobsRequest(), **who).jobs) == 2)
        events = list(calls.WatchJob(jobs.WatchJobRequest(name=name), **who))
        facts.check("and watch come in messages of 1 MiB at most", len(events) > 0)
        messages = list(greens.StreamResults(
            greens_service_pb2.StreamResultsRequest(job=name), **who))
        results = [one for one in messages if one.source]  # behind the axes
        facts.check("so do the results", len(results) == 2 and
                    all(len(one.displacement_m) > 0 for one in results), len(messages))
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
