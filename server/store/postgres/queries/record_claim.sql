-- SPDX-License-Identifier: BSD-3-Clause
with c as (
    insert into claimed (claim_id, position, worker_id, task_id, fence, attempt, verb, content_key,
                         compat_key, owner, label, payload)
    select $1, h.position, $2, t.task_id, t.fence, t.attempt, t.verb, t.content_key, t.compat_key,
           t.owner, t.label, t.payload
    from unnest($3::bigint[]) with ordinality as h (task_id, position)
    join task t using (task_id)
    returning task_id, fence
)
insert into attempt (task_id, fence, worker_id)
select task_id, fence, $2 from c
