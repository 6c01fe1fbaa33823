-- SPDX-License-Identifier: BSD-3-Clause
-- $1 worker, $2 heartbeats that may lack a task
select content_key, task_id, fence, attempt, crash_count, refunds from task
where worker_id = $1 and state = 'running' and absent >= $2
order by level, content_key
for update
