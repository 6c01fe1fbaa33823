-- SPDX-License-Identifier: BSD-3-Clause
select content_key, task_id, fence, attempt, crash_count, refunds,
       coalesce((select w.draining from worker w where w.worker_id = $3), false)
from task
where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
for update
