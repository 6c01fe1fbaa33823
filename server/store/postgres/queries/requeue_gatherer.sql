-- SPDX-License-Identifier: BSD-3-Clause
-- Its file was right for some of the jobs that joined it, not for all.
with again as (
    update task
    set state = 'ready', worker_id = null, attempt = 0, crash_count = 0, refunds = 0,
        missing = '{}', run_at = store_now()
    where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
    returning task_id, content_key
), told as (
    update attempt set outcome = 'done', sha256 = $4, ended_at = store_now()
    where task_id = $1 and fence = $2 and exists (select 1 from again)
)
select content_key from again
