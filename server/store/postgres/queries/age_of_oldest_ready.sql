-- SPDX-License-Identifier: BSD-3-Clause
-- Seconds for which the task that could start and has waited longest has waited; 0: none could. One
-- step of the claims' index per pool, owner and priority, however many tasks they have.
with recursive heads as (
    (select pool, owner, priority, run_at from task
     where state = 'ready'
     order by pool, owner, priority desc, run_at, ordinal, task_id
     limit 1)
    union all
    select t.pool, t.owner, t.priority, t.run_at
    from heads h cross join lateral (
        select * from (
            (select 0 as step, pool, owner, priority, run_at from task
             where state = 'ready' and pool = h.pool and owner = h.owner and priority < h.priority
             order by priority desc, run_at, ordinal, task_id
             limit 1)
            union all
            (select 1, pool, owner, priority, run_at from task
             where state = 'ready' and pool = h.pool and owner > h.owner
             order by owner, priority desc, run_at, ordinal, task_id
             limit 1)
            union all
            (select 2, pool, owner, priority, run_at from task
             where state = 'ready' and pool > h.pool
             order by pool, owner, priority desc, run_at, ordinal, task_id
             limit 1)) next
        order by step
        limit 1) t
)
select greatest(0, coalesce(extract(epoch from store_now() - min(run_at)), 0)) from heads
