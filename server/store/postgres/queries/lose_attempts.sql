-- SPDX-License-Identifier: BSD-3-Clause
update attempt a set outcome = 'lost', ended_at = store_now()
from worker w
where a.worker_id = w.worker_id and w.lost and a.outcome is null
