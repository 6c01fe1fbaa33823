-- SPDX-License-Identifier: BSD-3-Clause
-- Lost to all that would speak for it; shown as one that left.
update worker w set lost = true, gone = true, heartbeat_at = store_now()
where w.worker_id = $1 and not w.lost
  and not exists (select from task t where t.worker_id = w.worker_id and t.state = 'running')
