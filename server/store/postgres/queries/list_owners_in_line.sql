-- SPDX-License-Identifier: BSD-3-Clause
-- $1 pools, $2 owners with claimable tasks: the one whose first task is first in line comes first.
select o.owner
from unnest($2::text[]) as o (owner)
cross join unnest($1::text[]) as wanted (pool)
cross join lateral (
    select priority, run_at, ordinal, task_id from task
    where state = 'ready' and pool = wanted.pool and owner = o.owner and run_at <= store_now()
    order by priority desc, run_at, ordinal, task_id
    limit 1) t
order by t.priority desc, t.run_at, t.ordinal, t.task_id
