-- SPDX-License-Identifier: BSD-3-Clause
-- $1 pools, $2 owner: the task that has waited longest gets the priority of the first in line, and is
-- first then. One step of the index per pool and priority.
with recursive heads as (
    select wanted.pool, t.task_id, t.priority, t.run_at
    from unnest($1::text[]) as wanted (pool) cross join lateral (
        select task_id, priority, run_at from task
        where state = 'ready' and pool = wanted.pool and owner = $2
        order by priority desc, run_at, ordinal, task_id
        limit 1) t
    union all
    select h.pool, t.task_id, t.priority, t.run_at
    from heads h cross join lateral (
        select task_id, priority, run_at from task
        where state = 'ready' and pool = h.pool and owner = $2 and priority < h.priority
        order by priority desc, run_at, ordinal, task_id
        limit 1) t
), due as (
    select * from heads where run_at <= store_now()
), oldest as (
    select t.task_id, (select max(priority) from due) as priority
    from task t
    where t.task_id = (select task_id from due order by run_at, priority desc limit 1)
      and t.state = 'ready'
    for update skip locked
)
update task t set priority = o.priority
from oldest o
where t.task_id = o.task_id and t.priority < o.priority
