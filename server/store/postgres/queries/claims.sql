-- SPDX-License-Identifier: BSD-3-Clause
-- A claim gives a worker the tasks whose turn it is.

-- name: list_ready_owners
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
where o.owner is not null and not exists (select from job_cancelling c where c.owner = o.owner)
  and not exists (select from campaign c where c.owner = o.owner and c.work = 'hold')
union
select k.owner
from known k
where not exists (select from job_cancelling c where c.owner = k.owner)
  and not exists (select from campaign c where c.owner = k.owner and c.work = 'hold') and case
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

-- name: list_owners_in_line
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

-- name: age_oldest
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

-- name: age_of_oldest_ready
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

-- name: claim_tasks
-- $1 worker, $2 pools, $3 held compatibility key, $4 owner, $5 pack size, $6 crashes from which a
-- task runs alone, $7 seconds for which the held key is preferred, $8 claim; $9 to $12 the place from
-- which the line of each pool is looked at: priority, run_at, ordinal, task; $13 the worker's
-- token, $14 seconds for which a task that failed with it is left to others, where such claim from its
-- pool. Nothing is claimed of an owner one of whose jobs is being cancelled. MATERIALIZED keeps the
-- planner from locking more rows than the limits say. Each pool is looked at by itself, so that the
-- index gives its first task without a sort of the whole line. Tasks of one pack begin at one step,
-- so they have the same checkpoint or none. What comes before the seed in its line is gone, or
-- locked, but still in the index for who may see it: nothing is looked for there.
with wanted as materialized (
    select * from unnest($2::text[], $9::integer[], $10::timestamptz[], $11::bigint[], $12::bigint[])
        as w (pool, priority, run_at, ordinal, task_id)
    where not exists (select from job_cancelling j where j.owner = $4)
      and not exists (select from campaign c where c.owner = $4 and c.work = 'hold')
), others as materialized (
    select array(select distinct unnest(o.pools) from worker o
                 where not o.lost and not o.draining and o.token_id not in ('', $13)) as pools
), higher as materialized (
    select t.* from wanted w cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = w.pool and owner = $4 and run_at <= store_now()
          and (failed_token = '' or failed_token <> $13 or pool <> all ((select pools from others)::text[])
               or run_at < store_now() - ($14::float8 * interval '1 second'))
          and priority > w.priority
        order by priority desc, run_at, ordinal, task_id
        limit 1 for update skip locked) t
), level as materialized (
    select t.* from wanted w cross join lateral (
        select task_id, verb, compat_key, pool, priority, run_at, ordinal, crash_count,
               checkpoint_sha256
        from task
        where state = 'ready' and pool = w.pool and owner = $4 and run_at <= store_now()
          and (failed_token = '' or failed_token <> $13 or pool <> all ((select pools from others)::text[])
               or run_at < store_now() - ($14::float8 * interval '1 second'))
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
          and (failed_token = '' or failed_token <> $13 or pool <> all ((select pools from others)::text[])
               or run_at < store_now() - ($14::float8 * interval '1 second'))
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
          and (failed_token = '' or failed_token <> $13 or pool <> all ((select pools from others)::text[])
               or run_at < store_now() - ($14::float8 * interval '1 second'))
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
          and (failed_token = '' or failed_token <> $13 or pool <> all ((select pools from others)::text[])
               or run_at < store_now() - ($14::float8 * interval '1 second'))
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

-- name: note_missing
-- $1 tasks that were just claimed: what gatherers among them are made without.
with gathered as (
    select distinct t.task_id, key.content_key
    from task t
    join job_item p on p.content_key = t.content_key and p.state = 'live'
    cross join lateral unnest(p.gathers) as key (content_key)
    where t.task_id = any ($1::bigint[]) and t.gathers
), lacking as (
    select task_id, array_agg(content_key order by content_key) as keys
    from gathered
    where not exists (select 1 from artifact a where a.content_key = gathered.content_key)
    group by task_id
)
update task t
set missing = coalesce((select keys from lacking l where l.task_id = t.task_id), '{}')
where t.task_id = any ($1::bigint[]) and t.gathers
returning t.task_id, array_to_string(t.missing, ',')

-- name: find_claim
-- Lists what an answered claim gave, in its order; a row without a task is no longer that worker's.
select c.worker_id, t.task_id, t.fence, t.attempt, t.verb, t.content_key, t.compat_key, t.owner,
       t.label, t.payload, array_to_string(t.missing, ',')
from claim_answer c
cross join lateral rows from (unnest(c.task_ids), unnest(c.fences)) with ordinality
    as given (task_id, fence, place)
left join task t on t.task_id = given.task_id and t.fence = given.fence
                    and t.worker_id = c.worker_id and t.state = 'running'
where c.claim_id = $1
order by given.place

-- name: forget_claims
delete from claim_answer where claimed_at < store_now() - ($1::float8 * interval '1 second')
