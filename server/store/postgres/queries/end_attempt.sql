-- SPDX-License-Identifier: BSD-3-Clause
-- $1 task, locked and with its worker, $2 fence, $3 outcome, $4 error
insert into attempt (task_id, fence, worker_id, started_at, outcome, error, label, payload)
select task_id, fence, worker_id, began_at, $3, $4, label, payload from task
where task_id = $1 and fence = $2 and state = 'running'
