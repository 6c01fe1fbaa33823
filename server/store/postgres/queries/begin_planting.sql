-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job, $2 run; its tasks are those of a request that is new, or of a retry, which revives its items.
insert into job_planting (job_id, run_id, of_request, reviving) values ($1, $2, $3, not $3::boolean)
on conflict (job_id) do update
set run_id = excluded.run_id, of_request = excluded.of_request, reviving = excluded.reviving,
    begun_at = excluded.begun_at, touched_at = excluded.touched_at
