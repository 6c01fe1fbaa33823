-- SPDX-License-Identifier: BSD-3-Clause
-- $1 worker, $2 pools, $3 held compatibility key, $4 owner, $5 pack size, $6 crashes from which a
-- task runs alone, $7 seconds for which the held key is preferred, $8 claim; $9 to $12 the place from
-- which the line of each pool is looked at: priority, run_at, ordinal, task. MATERIALIZED keeps the
-- planner from locking more rows than the limits say. Each pool is looked at by itself, so that the
-- index gives its first task without a sort of the whole line. Tasks of one pack begin at one step,
-- so they have the same checkpoint or none. What comes before the seed in its line is gone, or
-- locked, but still in the index for who may see it: nothing is looked for there.
with wanted as materialized (
    select * from unnest($2::text[], $9::integer[], $10::timestamptz[], $11::bigint[], $12::bigint[])
        as w (pool, priority, run_at, ordinal, task_id)
), higher as materialized (
    select t.* from wanted w cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = w.pool and owner = $4 and run_at <= store_now()
          and priority > w.priority
        order by priority desc, run_at, ordinal, task_id
        limit 1 for update skip locked) t
), level as materialized (
    select t.* from wanted w cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = w.pool and owner = $4 and run_at <= store_now()
          and priority = w.priority
          and (run_at, ordinal, task_id) >= (w.run_at, w.ordinal, w.task_id)
        order by priority desc, run_at, ordinal, task_id
        limit 1 for update skip locked) t
    where not exists (select from higher h where h.pool = w.pool)
), first as materialized (
    select * from (select * from higher union all select * from level) first_of_pool
    order by priority desc, run_at, ordinal, task_id
    limit 1
), held_of_pool as materialized (
    select t.*
    from first f cross join unnest($2::text[]) as wanted (pool) cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = wanted.pool and owner = $4 and run_at <= store_now()
          and compat_key = $3 and priority = f.priority
          and (run_at, ordinal, task_id) >= (f.run_at, f.ordinal, f.task_id)
        order by run_at, ordinal, task_id
        limit 1 for update skip locked) t
    where $3 <> '' and f.compat_key <> $3
      and f.run_at >= store_now() - ($7::float8 * interval '1 second')
), held as materialized (
    select * from held_of_pool
    order by run_at, ordinal, task_id
    limit 1
), seed as materialized (
    select * from (select 0 as choice, * from held union all select 1, * from first) both_of
    order by choice
    limit 1
), pack as materialized (
    select t.task_id from seed s cross join lateral (
        select task_id from task
        where state = 'ready' and pool = s.pool and owner = $4 and compat_key = s.compat_key
          and verb = s.verb and run_at <= store_now()
          and priority = s.priority
          and (run_at, ordinal, task_id) > (s.run_at, s.ordinal, s.task_id)
          and s.compat_key <> '' and s.crash_count < $6 and crash_count < $6
          and checkpoint_sha256 = s.checkpoint_sha256
        order by priority desc, run_at, ordinal, task_id
        limit $5 - 1 for update skip locked) t
), lower as materialized (
    select t.task_id from seed s cross join lateral (
        select task_id from task
        where state = 'ready' and pool = s.pool and owner = $4 and compat_key = s.compat_key
          and verb = s.verb and run_at <= store_now()
          and priority < s.priority
          and s.compat_key <> '' and s.crash_count < $6 and crash_count < $6
          and checkpoint_sha256 = s.checkpoint_sha256
        order by priority desc, run_at, ordinal, task_id
        limit $5 - 1 - (select count(*) from pack) for update skip locked) t
), claimed as (
    update task t
    set state = 'running', attempt = t.attempt + 1, fence = t.fence + 1, worker_id = $1, absent = 0,
        began_at = store_now()
    where t.task_id in (select task_id from seed union all select task_id from pack
                        union all select task_id from lower)
      and t.state = 'ready'
    returning t.task_id, t.fence, t.attempt, t.verb, t.content_key, t.compat_key, t.owner, t.label,
              t.payload, t.ordinal, t.gathers, t.run_at
), answer as (
    insert into claim_answer (claim_id, worker_id, task_ids, fences)
    select $8, $1, array_agg(task_id order by ordinal, task_id),
           array_agg(fence order by ordinal, task_id)
    from claimed having count(*) > 0
)
select c.task_id, c.fence, c.attempt, c.verb, c.content_key, c.compat_key, c.owner, c.label, c.payload,
       c.gathers, f.pool, f.priority, f.run_at, f.ordinal, f.task_id,
       extract(epoch from store_now() - c.run_at)
from claimed c cross join first f
order by c.ordinal, c.task_id
