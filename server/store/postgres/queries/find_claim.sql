-- SPDX-License-Identifier: BSD-3-Clause
select worker_id, task_id, fence, attempt, verb, content_key, compat_key, owner, label, payload,
       coalesce((select array_to_string(t.missing, ',') from task t
                 where t.task_id = c.task_id and t.fence = c.fence), '')
from claimed c
where claim_id = $1
order by position
