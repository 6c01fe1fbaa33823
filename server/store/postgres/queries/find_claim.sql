-- SPDX-License-Identifier: BSD-3-Clause
-- What an answered claim gave, in its order; without a task what is no longer that worker's.
select c.worker_id, t.task_id, t.fence, t.attempt, t.verb, t.content_key, t.compat_key, t.owner,
       t.label, t.payload, array_to_string(t.missing, ',')
from claim_answer c
cross join lateral rows from (unnest(c.task_ids), unnest(c.fences)) with ordinality
    as given (task_id, fence, place)
left join task t on t.task_id = given.task_id and t.fence = given.fence
                    and t.worker_id = c.worker_id and t.state = 'running'
where c.claim_id = $1
order by given.place
