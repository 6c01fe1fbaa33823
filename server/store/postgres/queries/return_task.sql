-- SPDX-License-Identifier: BSD-3-Clause
update task
set state = 'ready', worker_id = null, attempt = attempt - 1
where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
returning content_key
