-- SPDX-License-Identifier: BSD-3-Clause
update worker
set heartbeat_at = store_now()
where not lost and heartbeat_at > store_now()
returning 1
