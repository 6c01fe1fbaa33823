-- SPDX-License-Identifier: BSD-3-Clause
select h.task_id,
       case when t.task_id is not null then 'held'
            when d.state = 'cancelled' then 'cancelled'
            when a.outcome = 'done' then 'done'
            else 'lost' end
from unnest($2::bigint[], $3::bigint[]) as h (task_id, fence)
left join task t on t.task_id = h.task_id and t.fence = h.fence and t.worker_id = $1
                    and t.state = 'running'
left join task_done d on d.task_id = h.task_id
left join attempt a on a.task_id = h.task_id and a.fence = h.fence and a.worker_id = $1
