-- SPDX-License-Identifier: BSD-3-Clause
-- $1 tasks, $2 their fences, $3 worker, $4 hash, $5 bytes, $6 step. Only a file that is known is named:
-- one that was forgotten meanwhile is being removed.
with file as (
    update checkpoint_file set whole = true where sha256 = $4 returning 1
)
update task t
set checkpoint_sha256 = $4, checkpoint_bytes = $5, checkpoint_step = $6, refunds = 0
from unnest($1::bigint[], $2::bigint[]) as h (task_id, fence)
where t.task_id = h.task_id and t.fence = h.fence and t.worker_id = $3 and t.state = 'running'
  and exists (select 1 from file)
returning t.task_id
