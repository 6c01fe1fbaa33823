-- SPDX-License-Identifier: BSD-3-Clause
update task
set state = 'ready', worker_id = null, crash_count = $3,
    run_at = store_now() + ($2::float8 * interval '1 second')
where task_id = $1
