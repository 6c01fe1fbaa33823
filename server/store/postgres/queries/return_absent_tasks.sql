-- SPDX-License-Identifier: BSD-3-Clause
update task
set state = 'ready', worker_id = null, attempt = attempt - 1, absent = 0
where worker_id = $1 and state = 'running' and absent >= $2
returning content_key
