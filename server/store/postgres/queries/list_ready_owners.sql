-- SPDX-License-Identifier: BSD-3-Clause
-- One step of an index per pool and owner, however many tasks they have; LIMIT keeps the planner from
-- joining with all of them.
with recursive owners as (
    select wanted.pool, (select min(owner) from task
                         where state = 'ready' and pool = wanted.pool) as owner
    from unnest($1::text[]) as wanted (pool)
    union all
    select o.pool, (select min(t.owner) from task t
                    where t.state = 'ready' and t.pool = o.pool and t.owner > o.owner)
    from owners o
    where o.owner is not null
)
select distinct o.owner
from owners o
cross join lateral (select 1 from task t
                    where t.state = 'ready' and t.pool = o.pool and t.owner = o.owner
                      and t.run_at <= store_now()
                    limit 1) first
where o.owner is not null
order by o.owner
