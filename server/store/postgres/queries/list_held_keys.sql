-- SPDX-License-Identifier: BSD-3-Clause
select t.content_key
from unnest($2::bigint[], $3::bigint[]) as h (task_id, fence)
join task t on t.task_id = h.task_id and t.fence = h.fence
where t.worker_id = $1 and t.state = 'running'
order by t.task_id
