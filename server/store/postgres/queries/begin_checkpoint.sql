-- SPDX-License-Identifier: BSD-3-Clause
-- $1 tasks, $2 their fences, $3 worker, $4 hash. Not whole again, so that the file is kept until it is
-- named or overdue.
insert into checkpoint_file (sha256)
select $4 where exists (
    select 1 from unnest($1::bigint[], $2::bigint[]) as h (task_id, fence)
    join task t on t.task_id = h.task_id and t.fence = h.fence
    where t.worker_id = $3 and t.state = 'running')
on conflict (sha256) do update set begun_at = excluded.begun_at, whole = false
returning sha256
