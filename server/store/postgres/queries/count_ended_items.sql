-- SPDX-License-Identifier: BSD-3-Clause
-- The event numbers are taken while the job's row is locked: no watcher can skip one.
update job
set n_live = n_live - $2,
    n_done = n_done + case when $3 = 'done' then $2::bigint else 0 end,
    n_failed = n_failed + case when $3 = 'failed' then $2::bigint else 0 end,
    n_cancelled = n_cancelled + case when $3 = 'cancelled' then $2::bigint else 0 end,
    n_sources_done = n_sources_done + case when $3 = 'done' then $4::bigint else 0 end,
    n_sources_failed = n_sources_failed + case when $3 = 'failed' then $4::bigint else 0 end,
    n_sources_reused = n_sources_reused + case when $5 then $4::bigint else 0 end,
    event_seq = event_seq + $2
where job_id = $1
returning event_seq - $2
