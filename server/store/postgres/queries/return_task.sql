-- SPDX-License-Identifier: BSD-3-Clause
-- $1 task, locked; $2 whether the refund counts
update task
set state = 'ready', worker_id = null, attempt = attempt - 1, absent = 0,
    refunds = refunds + case when $2::boolean then 1 else 0 end
where task_id = $1 and state = 'running'
