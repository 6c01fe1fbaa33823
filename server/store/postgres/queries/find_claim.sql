-- SPDX-License-Identifier: BSD-3-Clause
select c.worker_id, t.task_id, t.fence, t.attempt, t.verb, t.content_key, t.compat_key, t.owner,
       t.label, t.payload,
       coalesce((select array_to_string(held.missing, ',') from task held
                 where held.task_id = t.task_id and held.fence = t.fence), '')
from claim_answer c
cross join lateral rows from (json_to_recordset(c.tasks) as (
    task_id bigint, fence bigint, attempt integer, verb text, content_key text, compat_key text,
    owner text, label text, payload text)) with ordinality
    as t (task_id, fence, attempt, verb, content_key, compat_key, owner, label, payload, position)
where c.claim_id = $1
order by t.position
