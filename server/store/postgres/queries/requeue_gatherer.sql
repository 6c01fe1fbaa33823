-- SPDX-License-Identifier: BSD-3-Clause
-- Its file was right for some of the jobs that joined it, not for all.
with again as (
    update task
    set state = 'ready', worker_id = null, attempt = 0, crash_count = 0, refunds = 0,
        missing = '{}', run_at = store_now()
    where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
    returning task_id, content_key, fence, began_at
), told as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, sha256)
    select task_id, fence, $3, began_at, 'done', $4 from again
)
select content_key from again
