-- SPDX-License-Identifier: BSD-3-Clause
-- $1 worker, $2 pools, $3 held compatibility key, $4 owner or '', $5 pack size, $6 crashes from
-- which a task runs alone, $7 seconds for which the held key is preferred. MATERIALIZED keeps the
-- planner from locking more rows than the limits say.
with first as materialized (
    select task_id, kind, compat_key, priority, run_at, crash_count from task
    where state = 'ready' and pool = any ($2::text[]) and run_at <= store_now()
      and ($4 = '' or owner = $4)
    order by priority desc, run_at, ordinal, task_id
    limit 1 for update skip locked
), held as materialized (
    select t.task_id, t.kind, t.compat_key, t.priority, t.run_at, t.crash_count
    from task t
    where t.state = 'ready' and t.pool = any ($2::text[]) and t.run_at <= store_now()
      and ($4 = '' or t.owner = $4) and $3 <> '' and t.compat_key = $3
      and t.priority = (select priority from first)
      and (select run_at from first) >= store_now() - ($7::float8 * interval '1 second')
    order by t.run_at, t.ordinal, t.task_id
    limit 1 for update skip locked
), seed as materialized (
    select * from (select 0 as choice, * from held union all select 1, * from first) both_of
    order by choice
    limit 1
), pack as materialized (
    select t.task_id from task t join seed s on t.compat_key = s.compat_key and t.kind = s.kind
    where t.state = 'ready' and t.pool = any ($2::text[]) and t.run_at <= store_now()
      and ($4 = '' or t.owner = $4) and t.task_id <> s.task_id and s.compat_key <> ''
      and s.crash_count < $6 and t.crash_count < $6
    order by t.priority desc, t.run_at, t.ordinal, t.task_id
    limit $5 - 1 for update of t skip locked
)
update task t
set state = 'running', attempt = t.attempt + 1, fence = t.fence + 1, worker_id = $1, absent = 0
where t.task_id in (select task_id from seed union all select task_id from pack)
  and t.state = 'ready'
returning t.task_id, t.fence, t.attempt, t.kind, t.content_key, t.compat_key, t.owner, t.label,
          t.payload, t.ordinal
