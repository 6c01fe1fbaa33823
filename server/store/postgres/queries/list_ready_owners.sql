-- SPDX-License-Identifier: BSD-3-Clause
-- $1 pools; $2 to $7 known beginnings of lines: pool, owner, priority, run_at, ordinal, task. One
-- step of an index per pool and owner, however many tasks they have: lines with a known beginning
-- from there (whole where nothing is left of that), the others between them. LIMIT keeps the planner
-- from joining with all tasks, ORDER BY from another index.
with recursive known as materialized (
    select *, lead(owner) over (partition by pool order by owner) as next
    from unnest($2::text[], $3::text[], $4::integer[], $5::timestamptz[], $6::bigint[],
                $7::bigint[]) as k (pool, owner, priority, run_at, ordinal, task_id)
), gaps as materialized (
    select wanted.pool, '' as after,
           (select min(k.owner) from known k where k.pool = wanted.pool) as next
    from unnest($1::text[]) as wanted (pool)
    union all
    select pool, owner, next from known
), owners as (
    select g.pool, g.next,
           case when g.next is null
                then (select min(t.owner) from task t
                      where t.state = 'ready' and t.pool = g.pool and t.owner > g.after)
                else (select min(t.owner) from task t
                      where t.state = 'ready' and t.pool = g.pool and t.owner > g.after
                        and t.owner < g.next) end as owner
    from gaps g
    union all
    select o.pool, o.next,
           case when o.next is null
                then (select min(t.owner) from task t
                      where t.state = 'ready' and t.pool = o.pool and t.owner > o.owner)
                else (select min(t.owner) from task t
                      where t.state = 'ready' and t.pool = o.pool and t.owner > o.owner
                        and t.owner < o.next) end
    from owners o
    where o.owner is not null
)
select o.owner
from owners o
cross join lateral (select 1 from task t
                    where t.state = 'ready' and t.pool = o.pool and t.owner = o.owner
                      and t.run_at <= store_now()
                    order by t.priority desc, t.run_at, t.ordinal, t.task_id
                    limit 1) first
where o.owner is not null
union
select k.owner
from known k
where case
    when (select true from task t
          where t.state = 'ready' and t.pool = k.pool and t.owner = k.owner
            and t.priority = k.priority and t.run_at <= store_now()
            and (t.run_at, t.ordinal, t.task_id) >= (k.run_at, k.ordinal, k.task_id)
          order by t.priority desc, t.run_at, t.ordinal, t.task_id
          limit 1) then true
    else (select true from task t
          where t.state = 'ready' and t.pool = k.pool and t.owner = k.owner
            and t.run_at <= store_now()
          order by t.priority desc, t.run_at, t.ordinal, t.task_id
          limit 1)
    end
order by owner
