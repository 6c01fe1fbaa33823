-- SPDX-License-Identifier: BSD-3-Clause
-- Writes only where something changes: most heartbeats touch no task.
update task t
set absent = case when listed.held then 0 else t.absent + 1 end
from (select r.task_id, exists (select 1 from unnest($2::bigint[], $3::bigint[]) as h (task_id, fence)
                                where h.task_id = r.task_id and h.fence = r.fence) as held
      from task r where r.worker_id = $1 and r.state = 'running') listed
where t.task_id = listed.task_id and t.worker_id = $1 and t.state = 'running'
  and (not listed.held or t.absent > 0)
