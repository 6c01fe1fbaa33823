-- SPDX-License-Identifier: BSD-3-Clause
-- $8: its token. A worker of an earlier version has none yet. One that left may come back.
insert into worker (worker_id, name, gpu_uuids, host, version, ranks, threads, token_id)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (worker_id) do update
set name = excluded.name, gpu_uuids = excluded.gpu_uuids, host = excluded.host,
    version = excluded.version, ranks = excluded.ranks, threads = excluded.threads,
    token_id = excluded.token_id, heartbeat_at = store_now(), lost = false, gone = false,
    draining = worker.draining and not worker.gone
where (not worker.lost or worker.gone) and worker.token_id in ('', excluded.token_id)
returning 1
