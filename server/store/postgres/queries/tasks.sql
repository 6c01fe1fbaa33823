-- SPDX-License-Identifier: BSD-3-Clause
-- A task is shared by all items that have its content key. It is created, counted, locked, held and
-- lifted, and deleted.

-- name: upsert_tasks
-- DO UPDATE locks a task that is there, so that it cannot end before this job has joined it. In the
-- order in which all who lock several tasks do so: levels of the graph, then keys. What may have to
-- wait is blocked at first, so that it enters no line twice.
-- A job that would have its tasks start lifts what others hold, one that holds them does not hold
-- what is there.
with of_job as materialized (
    select campaign_id, member, campaign_holds(campaign_id) as holds from job where job_id = $1
)
insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, ordinal,
                  level, gathers, state, hold, campaign_id, member)
select content_key, verb, owner, compat_key, pool, label, payload, priority, ordinal, level,
       gathers <> '{}', case when needs <> '{}' or gathers <> '{}' then 'blocked' else 'ready' end,
       o.holds <> '', o.campaign_id, o.member
from (select distinct on (i.content_key) i.*, j.owner, j.priority
      from job_item i join job j using (job_id)
      where i.job_id = $1 and i.state = 'live'
        and not exists (select 1 from artifact a where a.content_key = i.content_key)
      order by i.content_key, i.ordinal) item
cross join of_job o
order by level, content_key
on conflict (content_key) do update
set priority = greatest(task.priority, excluded.priority),
    hold = task.hold and case (select holds from of_job) when 'all' then true
                              when 'own' then task.campaign_id = excluded.campaign_id
                              else false end
returning content_key, xmax = 0 as created

-- name: count_tasks
select coalesce(sum(n) filter (where state = 'blocked'), 0),
       coalesce(sum(n) filter (where state = 'ready'), 0),
       coalesce(sum(n) filter (where state = 'running'), 0),
       coalesce(sum(n) filter (where state = 'held'), 0)
from task_count

-- name: fold_task_counts
with gone as (
    delete from task_count returning state, n
)
insert into task_count (state, n)
select state, sum(n) from gone group by state having sum(n) <> 0

-- name: count_unfinished_tasks
select count(*) from task where campaign_id = $1 and campaign_id <> ''

-- name: count_ready_of_pool
-- $2 at most: a long queue is not counted to its end
select count(*) from (
    select 1 from task where state = 'ready' and pool = $1 and run_at <= store_now() limit $2
) ready

-- name: count_running_of_owner
-- A statement of its own, behind the lock: its snapshot sees what the claim before it took.
select count(*) from task where state = 'running' and owner = $1

-- name: lock_tasks_of_keys
-- Tasks before jobs, like everybody who locks both.
select content_key, gathers from task
where content_key = any ($1::text[])
order by level, content_key
for update

-- name: lock_held_tasks
select task_id, gathers from task
where task_id = any ($1::bigint[])
order by level, content_key
for update

-- name: list_held_keys
select t.content_key
from unnest($2::bigint[], $3::bigint[]) as h (task_id, fence)
join task t on t.task_id = h.task_id and t.fence = h.fence
where t.worker_id = $1 and t.state = 'running'
order by t.task_id

-- name: lock_running_task
select content_key, task_id, fence, attempt, crash_count, refunds,
       coalesce((select w.draining from worker w where w.worker_id = $3), false), cut_off
from task
where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
for update

-- name: lock_absent_tasks
-- $1 worker, $2 heartbeats that may lack a task
select content_key, task_id, fence, attempt, crash_count, refunds from task
where worker_id = $1 and state = 'running' and absent >= $2
order by level, content_key
for update

-- name: end_long_waits
-- $1: the longest wait there is, in seconds. The clock was ahead when a later end was written.
update task
set run_at = store_now()
where state = 'ready' and run_at > store_now() + ($1::float8 * interval '1 second')
returning 1

-- name: hold_tasks
-- $1 keys of one level, locked, after those above it: all that nobody would have start, and nothing
-- that may start waits for. Those that run come back as held ones.
update task t set hold = true
where t.content_key = any ($1::text[]) and not t.hold
  and nobody_starts(t.content_key, t.campaign_id)
  and not exists (select from task_need n join task w on w.content_key = n.content_key
                  where n.needs = t.content_key and not w.hold)
returning t.content_key

-- name: lift_tasks
-- $1 keys, locked
update task t set hold = false
where t.content_key = any ($1::text[]) and t.hold
  and not nobody_starts(t.content_key, t.campaign_id)
returning t.content_key

-- name: lift_some_held
-- $1 campaign, whose drive is locked; $2 tasks that may be ready or with workers at a time
update task t set hold = false
where t.task_id = any (array(
    select h.task_id from task h
    where h.campaign_id = $1 and h.state = 'held'
    order by h.member, h.ordinal, h.task_id
    limit greatest(0, $2::bigint - (select count(*) from task b
                                    where b.campaign_id = $1 and b.campaign_id <> ''
                                      and b.state in ('ready', 'running')))
    for update skip locked))
  and t.state = 'held'
returning 1

-- name: lift_needed
-- Lifts the tasks that unheld tasks of $1 wait for, directly or through others.
with recursive needed as (
    select n.needs from task_need n join task w on w.content_key = n.content_key
    where w.content_key = any ($1::text[]) and not w.hold
    union
    select n.needs from needed d join task_need n on n.content_key = d.needs
)
update task t set hold = false
where t.content_key = any (array(select needs from needed)) and t.hold
returning t.content_key

-- name: delete_redundant_tasks
-- Work that ended between the look at the artifacts and the creation of its task.
delete from task t
using artifact a
where t.content_key = any ($1::text[]) and a.content_key = t.content_key
returning t.content_key

-- name: delete_unwanted_tasks
-- Deletes tasks of $1, which are locked, that are nobody's live item and that nothing live needs: those that gather take what is there,
-- and where one of another job is left, it waits for this job's sources. What is needed by a task
-- that goes here goes in the next turn.
-- Most rows of task_need may wait for one key: a join with those that go reads all for each of them.
with gone as (
    delete from task t
    where t.content_key = any ($1::text[])
      and not exists (select 1 from job_item i
                      where i.content_key = t.content_key and i.state = 'live')
      and not exists (select 1 from task_need n
                      where n.needs = t.content_key and not n.gathered)
    returning t.task_id, t.content_key, t.fence, t.worker_id, t.began_at, t.state
), needs as (
    delete from task_need where content_key = any (array(select content_key from gone))
), told as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome)
    select task_id, fence, worker_id, began_at, 'cancelled' from gone where state = 'running'
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'cancelled' from gone
returning content_key

-- name: prune_ended_tasks
delete from task_done
where ctid = any (array(
    select ctid from task_done where ended_at < store_now() - $1::float8 * interval '1 second'
    order by ended_at limit $2))
returning 1

-- name: prune_task_files
-- Deletes files of tasks that have ended; $1 is of no account here.
delete from task_file
where ctid = any (array(
    select ctid from task_file f
    where $1::float8 >= 0 and not exists (select from task t where t.content_key = f.content_key)
    limit $2))
returning 1
