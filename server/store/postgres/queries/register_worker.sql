-- SPDX-License-Identifier: BSD-3-Clause
insert into worker (worker_id, name, gpu_uuids, host, version, ranks, threads)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (worker_id) do update
set name = excluded.name, gpu_uuids = excluded.gpu_uuids, host = excluded.host,
    version = excluded.version, ranks = excluded.ranks, threads = excluded.threads,
    heartbeat_at = store_now()
where not worker.lost
returning 1
