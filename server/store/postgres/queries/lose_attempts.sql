-- SPDX-License-Identifier: BSD-3-Clause
update attempt a
set outcome = 'lost', ended_at = store_now(), error = 'lost: no sign of life of its worker',
    label = coalesce((select t.label from task t where t.task_id = a.task_id), ''),
    payload = coalesce((select t.payload from task t where t.task_id = a.task_id), '')
from worker w
where a.worker_id = w.worker_id and w.lost and a.outcome is null
