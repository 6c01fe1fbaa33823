-- SPDX-License-Identifier: BSD-3-Clause
-- $1 worker, $2 pools, $3 held compatibility key, $4 owner or '', $5 pack size, $6 crashes from
-- which a task runs alone, $7 seconds for which the held key is preferred. MATERIALIZED keeps the
-- planner from locking more rows than the limits say. Each pool is looked at by itself, so that the
-- index gives its first task without a sort of the whole line. Tasks of one pack begin at one step,
-- so they have the same checkpoint or none.
with first_of_pool as materialized (
    select t.* from unnest($2::text[]) as wanted (pool) cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = wanted.pool and run_at <= store_now()
          and ($4 = '' or owner = $4)
        order by priority desc, run_at, ordinal, task_id
        limit 1 for update skip locked) t
), first as materialized (
    select * from first_of_pool
    order by priority desc, run_at, ordinal, task_id
    limit 1
), held_of_pool as materialized (
    select t.* from unnest($2::text[]) as wanted (pool) cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = wanted.pool and run_at <= store_now()
          and ($4 = '' or owner = $4) and $3 <> '' and compat_key = $3
          and priority = (select priority from first)
          and (select run_at from first) >= store_now() - ($7::float8 * interval '1 second')
        order by run_at, ordinal, task_id
        limit 1 for update skip locked) t
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
        where state = 'ready' and compat_key = s.compat_key and pool = s.pool and verb = s.verb
          and run_at <= store_now() and ($4 = '' or owner = $4) and task_id <> s.task_id
          and s.compat_key <> '' and s.crash_count < $6 and crash_count < $6
          and checkpoint_sha256 = s.checkpoint_sha256
        order by priority desc, run_at, ordinal, task_id
        limit $5 - 1 for update skip locked) t
)
update task t
set state = 'running', attempt = t.attempt + 1, fence = t.fence + 1, worker_id = $1, absent = 0
where t.task_id in (select task_id from seed union all select task_id from pack)
  and t.state = 'ready'
returning t.task_id, t.fence, t.attempt, t.verb, t.content_key, t.compat_key, t.owner, t.label,
          t.payload, t.ordinal
