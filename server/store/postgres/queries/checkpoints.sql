-- SPDX-License-Identifier: BSD-3-Clause
-- A task goes on from the checkpoint that it names.

-- name: begin_checkpoint
-- $1 tasks, $2 their fences, $3 worker, $4 hash. Not whole again, so that the file is kept until it is
-- named or overdue.
insert into checkpoint_file (sha256)
select $4 where exists (
    select 1 from unnest($1::bigint[], $2::bigint[]) as h (task_id, fence)
    join task t on t.task_id = h.task_id and t.fence = h.fence
    where t.worker_id = $3 and t.state = 'running')
on conflict (sha256) do update set begun_at = excluded.begun_at, whole = false
returning sha256

-- name: adopt_checkpoints
-- $1 files that lie among the checkpoints: those that nobody noted are unused ones from now on.
insert into checkpoint_file (sha256, whole)
select distinct file, true from unnest($1::text[]) as f (file) order by file
on conflict do nothing

-- name: find_checkpoints
select task_id, checkpoint_sha256, checkpoint_bytes, checkpoint_step from task
where task_id = any ($1::bigint[]) and checkpoint_sha256 <> ''

-- name: set_checkpoint
-- $1 tasks, $2 their fences, $3 worker, $4 hash, $5 bytes, $6 step. Only a file that is known is named:
-- one that was forgotten meanwhile is being removed.
with file as (
    update checkpoint_file set whole = true where sha256 = $4 returning 1
)
update task t
set checkpoint_sha256 = $4, checkpoint_bytes = $5, checkpoint_step = $6, refunds = 0, cut_off = 0
from unnest($1::bigint[], $2::bigint[]) as h (task_id, fence)
where t.task_id = h.task_id and t.fence = h.fence and t.worker_id = $3 and t.state = 'running'
  and exists (select 1 from file)
returning t.task_id

-- name: begin_at_first_steps
-- Checkpoints are not kept with a backup.
update task set checkpoint_sha256 = '', checkpoint_bytes = 0, checkpoint_step = 0
where checkpoint_sha256 <> ''

-- name: lock_unused_checkpoints
-- Files that no task names; $1 seconds in which one that was begun may become whole.
select f.sha256 from checkpoint_file f
where (f.whole or f.begun_at < store_now() - $1::float8 * interval '1 second')
  and not exists (select 1 from task t where t.checkpoint_sha256 = f.sha256)
order by f.sha256
for update skip locked

-- name: forget_checkpoints
-- $2 files, locked: looked at again, since a task may have come to name one before it was.
delete from checkpoint_file f
where f.sha256 = any ($2::text[])
  and (f.whole or f.begun_at < store_now() - $1::float8 * interval '1 second')
  and not exists (select 1 from task t where t.checkpoint_sha256 = f.sha256)
returning f.sha256

-- name: forget_all_checkpoints
delete from checkpoint_file
