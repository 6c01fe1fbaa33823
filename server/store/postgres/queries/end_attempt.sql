-- SPDX-License-Identifier: BSD-3-Clause
-- $1 task, $2 fence, $3 outcome, $4 error
update attempt a
set outcome = $3, error = $4, ended_at = store_now(), label = coalesce(t.label, ''),
    payload = coalesce(t.payload, '')
from (select 1) one left join task t on t.task_id = $1
where a.task_id = $1 and a.fence = $2
