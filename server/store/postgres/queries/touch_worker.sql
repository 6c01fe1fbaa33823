-- SPDX-License-Identifier: BSD-3-Clause
update worker set heartbeat_at = store_now()
where worker_id = $1 and not lost
returning draining
