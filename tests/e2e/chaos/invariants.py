# SPDX-License-Identifier: BSD-3-Clause
"""What must be true when everything has come to rest, by the users' notes, the database and the
files."""
import collections
import hashlib

from faults import sql

ENDED = ("done", "failed", "cancelled")
# From a worker's last sign of life, or the last fault if that came later (a server that is killed
# every few seconds gives nobody up), to its tasks being others'.
RECOVERY_S = 45


def violated(service, history, flipped):
    """A line for each fact that does not hold; `flipped`: hashes of files that got another byte."""
    checks = (_jobs, _requests, _counts, _items, _attempts, _queue, _cancels, _watches)
    return [line for check in checks for line in check(service, history)] + [
        line for check in (_results, _files) for line in check(service, flipped)]


def _jobs(service, history):
    kept = {row[0]: row[1] for row in sql(service, "select job_id, state from job")}
    deleted = {row["job"] for row in history.of("deleting")}
    for row in history.of("submitted"):
        if row["job"] not in kept:
            if row["job"] in deleted:
                continue
            yield f"job {row['job']} was accepted and is lost"
        elif kept[row["job"]] not in ENDED:
            yield f"job {row['job']} is {kept[row['job']]} for ever"


def _requests(_, history):
    jobs = collections.defaultdict(set)
    for row in history.of("submitted"):
        jobs[row["request"]].add(row["job"])
    for request, found in jobs.items():
        if len(found) > 1:
            yield f"request {request} made {len(found)} jobs"


def _counts(service, _):
    for row in sql(service, "select job_id, n_total, n_done, n_failed, n_cancelled, n_live from job "
                            "where n_total <> n_done + n_failed + n_cancelled or n_live <> 0"):
        yield f"counts of job {row[0]}: {row[1:]}"
    for row in sql(service, "select j.job_id, i.state, count(*) from job j join job_item i using "
                            "(job_id) group by 1, 2, j.n_done, j.n_failed, j.n_cancelled having "
                            "count(*) <> case i.state when 'done' then j.n_done when 'failed' then "
                            "j.n_failed when 'cancelled' then j.n_cancelled else 0 end"):
        yield f"items of job {row[0]}: {row[2]} are {row[1]}, its counts say otherwise"


def _items(service, _):
    for row in sql(service, "select i.job_id, i.label from job_item i left join artifact a using "
                            "(content_key) where i.state = 'done' and a.content_key is null and "
                            "i.sha256 = ''"):
        yield f"item {row[1]} of job {row[0]} is done without a result"


def _results(service, flipped):
    """One for each content key, but where a damaged one was computed again; a dataset that lacks
    failed sources of its job is not the key's."""
    for row in sql(service, "select content_key, min(label), string_agg(distinct sha256, ' ') from "
                            "job_item where state = 'done' and sha256 <> '' and n_missing = 0 "
                            "group by 1 having count(distinct sha256) > 1"):
        if not flipped & set(row[2].split()):
            yield f"content key {row[0]} ({row[1]}) has several results: {row[2]}"


def _attempts(service, history):
    for row in sql(service, "select task_id, count(*) from attempt where outcome = 'done' group by "
                            "1 having count(*) > 1"):
        yield f"task {row[0]} was completed {row[1]} times"
    for row in sql(service, "select a.task_id, a.fence, b.fence from attempt a join attempt b using "
                            "(task_id) where a.fence < b.fence and a.started_at > b.started_at"):
        yield f"task {row[0]}: fence {row[1]} came after {row[2]}"


    calm = max(row["at"] for row in history.of("calm"))
    for row in sql(service, f"""
            select a.task_id, extract(epoch from a.ended_at - greatest(w.heartbeat_at,
                                                                       to_timestamp({calm})))
            from attempt a join worker w using (worker_id) where a.outcome = 'lost' and a.ended_at
            > greatest(w.heartbeat_at, to_timestamp({calm})) + interval '{RECOVERY_S} seconds'"""):
        yield f"task {row[0]} of a lost worker was taken back after {float(row[1]):.0f} s"


def _queue(service, _):
    for row in sql(service, "select task_id, state, label from task"):
        yield f"task {row[0]} ({row[2]}) is {row[1]} though no job lives"


def _cancels(service, history):
    """No attempt of a task that only cancelled jobs wanted begins after they were."""
    cancelled = {row["job"]: row["at"] for row in reversed(history.of("cancelled"))}
    others = {row[0] for row in sql(service, "select job_id from job")} - set(cancelled)
    for job, at in cancelled.items():
        names = ", ".join(f"'{other}'" for other in (*others, *(set(cancelled) - {job}), ""))
        for row in sql(service, f"""
                select i.label from job_item i join task_done t using (content_key)
                join attempt a using (task_id)
                where i.job_id = '{job}' and a.started_at > to_timestamp({at}) and not exists
                (select from job_item o where o.content_key = i.content_key
                 and o.job_id in ({names}))"""):
            yield f"{row[0]} of job {job} was begun after its cancel was acknowledged"


def _watches(_, history):
    retried = {row["job"] for row in history.of("retrying")}  # their items may end more than once
    for row in history.of("watched"):
        if row["job"] in retried:
            continue
        again = [label for label, n in collections.Counter(row["ends"]).items() if n > 1]
        if again:
            yield f"a watcher of job {row['job']} was told twice that {again} ended"
        elif row["code"] == 0 and len(row["ends"]) == 0:
            yield f"a watcher of job {row['job']} was told of no item"


def _files(service, flipped):
    for row in sql(service, "select job_id, label, sha256 from job_item where state = 'done' and "
                            "sha256 <> ''"):
        if row[2] not in flipped and not (service.objects / row[2][:2] / row[2]).exists():
            yield f"the result of {row[1]} of job {row[0]} was removed"
    for sha256, size in sql(service, "select distinct sha256, bytes from artifact"):
        path = service.objects / sha256[:2] / sha256
        if sha256 in flipped:  # set aside, computed anew, or not looked at since
            continue
        if not path.exists():
            yield f"the file of artifact {sha256} is missing"
        elif path.stat().st_size != int(size):
            yield f"artifact {sha256} has {path.stat().st_size} bytes, {size} are recorded"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            yield f"artifact {sha256} has other bytes"
