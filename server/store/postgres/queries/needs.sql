-- SPDX-License-Identifier: BSD-3-Clause
-- task_need says which task waits for which key. What waits for a key that has ended is released or
-- fails at once or, where it is much, in pieces, which release_pending and failure_pending note.

-- name: insert_needs
-- $1 job, $2 the tasks that it created or joined, locked by it. A gatherer that is running waits for
-- more as well: its file is not this job's when it lacks what comes now.
with mine as (
    select t.content_key, t.gathers, t.state
    from unnest($2::text[]) as k (content_key) join task t using (content_key)
)
insert into task_need (needs, content_key, gathered)
select distinct needed.content_key, waiting.content_key, need.gathered
from mine waiting
join job_item i on i.job_id = $1 and i.content_key = waiting.content_key
cross join lateral (
    select unnest(i.needs) as content_key, false as gathered
    union all
    select unnest(i.gathers), true) need
join mine needed on needed.content_key = need.content_key
where waiting.gathers or waiting.state <> 'running'
on conflict do nothing

-- name: insert_edges
-- $2 wait for $1; $3 those that gather it. All are locked or created in this transaction.
insert into task_need (needs, content_key, gathered)
select needs, content_key, gathered
from unnest($1::text[], $2::text[], $3::boolean[]) as edge (needs, content_key, gathered)
on conflict do nothing

-- name: count_needing
-- How many tasks need one of $1; at most one more than $2.
select count(*) from (select 1 from task_need where needs = any ($1::text[]) and not gathered
                      limit $2::integer + 1) n

-- name: find_empty_gatherers
-- Finds gatherers whose needs have all ended and left nothing. The keys are unnested and
-- joined, not searched for in the array: a task that gathers n results costs n steps, not n squared,
-- while its job is locked.
select t.content_key
from task t
where t.content_key = any ($1::text[]) and t.gathers and t.state <> 'running'
  and not exists (
      select 1
      from job_item p
      cross join lateral unnest(p.gathers) as gathered (content_key)
      join artifact a on a.content_key = gathered.content_key
      where p.content_key = t.content_key and p.state = 'live')

-- name: lock_waiting_tasks
-- Two that end at once must see each other: the second waits here and then looks anew. Told with
-- each: whether it is done for where one of the keys failed, for it needs that one and is not
-- running with what it was given.
select t.content_key,
       t.state <> 'running'
       and exists (select 1 from task_need n
                   where n.content_key = t.content_key and n.needs = any ($1::text[])
                     and not n.gathered)
from task t
where t.content_key = any (array(select distinct n.content_key from task_need n
                                 where n.needs = any ($1::text[])))
order by t.level, t.content_key
for update

-- name: lock_jobs_and_waiting
-- $1 keys of tasks that end, locked: the tasks that wait for $2 of them, unless they are more than $3,
-- which are released in pieces afterwards; then the jobs that want one.
-- Two that end at once must see each other: the second waits here and then looks anew. In one
-- statement, because nobody can join a task that is locked: the jobs are known before the wait.
with waiters as materialized (
    select count(*) as n
    from (select 1 from task_need where needs = any ($2::text[]) limit $3::integer + 1) w
), waiting as materialized (
    select t.task_id from task t
    where t.content_key = any (array(select distinct n.content_key from task_need n
                                     where n.needs = any ($2::text[])
                                       and (select n from waiters) <= $3))
    order by t.level, t.content_key
    for update
), jobs as materialized (
    select 1 from job
    where (select count(*) from waiting) >= 0
      and job_id = any (array(select distinct i.job_id from job_item i
                              where i.content_key = any ($1::text[]) and i.state = 'live'))
    order by job_id
    for update
)
select (select n from waiters), (select count(*) from jobs)

-- name: block_tasks
-- Blocks tasks that wait for something; after a statement that locked them, so that no need ends meanwhile.
update task t
set state = 'blocked'
from unnest($1::text[]) as k (content_key)
where t.content_key = k.content_key and t.state in ('ready', 'held')
  and exists (select 1 from task_need n where n.content_key = t.content_key)

-- name: release_tasks
update task t
set state = 'ready', run_at = store_now()
where t.content_key = any ($1::text[]) and t.state = 'blocked'
  and not exists (select 1 from task_need n where n.content_key = t.content_key)
returning t.content_key

-- name: release_needed
-- $1 keys that have ended. What waited for nothing else is ready; told with each: whether it gathers.
with gone as (
    delete from task_need where needs = any ($1::text[])
    returning content_key
)
update task t
set state = 'ready', run_at = store_now()
where t.content_key = any (array(select content_key from gone)) and t.state = 'blocked'
  and not exists (select 1 from task_need n
                  where n.content_key = t.content_key and n.needs <> all ($1::text[]))
returning t.content_key, t.gathers

-- name: release_unneeded
-- Makes new tasks ready that wait for nothing.
update task t
set state = 'ready'
from unnest($1::text[]) as k (content_key)
where t.content_key = k.content_key and t.state = 'blocked'
  and not exists (select 1 from task_need n where n.content_key = t.content_key)

-- name: delete_needs
delete from task_need where needs = any ($1::text[])

-- name: delete_needs_of
delete from task_need where content_key = any ($1::text[])

-- name: begin_release
insert into release_pending (content_key) select unnest($1::text[])
on conflict do nothing

-- name: list_pending_releases
select content_key from release_pending

-- name: release_some
-- $1 a key that has ended, $2 how many of what waits for it are looked at. Told with each that is now
-- ready: whether it gathers.
with piece as materialized (
    select t.content_key from task t
    where t.content_key = any (array(select content_key from task_need where needs = $1
                                     order by content_key limit $2::integer))
    order by t.level, t.content_key
    for update
), gone as (
    delete from task_need n using piece s where n.needs = $1 and n.content_key = s.content_key
), released as (
    update task t
    set state = 'ready',
        run_at = coalesce((select r.since from release_pending r where r.content_key = $1), store_now())
    from piece s
    where t.content_key = s.content_key and t.state = 'blocked'
      and not exists (select 1 from task_need n
                      where n.content_key = t.content_key and n.needs <> $1)
    returning t.content_key, t.gathers
)
select s.content_key, r.gathers is not null, coalesce(r.gathers, false)
from piece s left join released r using (content_key)

-- name: end_release
delete from release_pending where content_key = $1

-- name: begin_failure
insert into failure_pending (content_key, error, last_task_id)
select key, $2, (select coalesce(max(task_id), 0) from task) from unnest($1::text[]) as key
on conflict (content_key) do update
set error = excluded.error, last_task_id = excluded.last_task_id

-- name: list_pending_failures
select content_key, error, last_task_id from failure_pending

-- name: lock_some_hopeless
-- At most $2 tasks that need $1, which failed; not those that run, for they have what it gave, nor
-- those that came after task $3.
select t.content_key from task t
where t.content_key = any (array(
    select n.content_key
    from task_need n
    cross join lateral (select 1 from task w
                        where w.content_key = n.content_key and w.task_id <= $3::bigint
                          and w.state <> 'running' offset 0) w
    where n.needs = $1 and not n.gathered
    order by n.content_key limit $2::integer))
order by t.level, t.content_key
for update

-- name: release_the_rest
-- Releases tasks that still wait for $1, which failed, and came before task $2: they gather or run.
with waiting as materialized (
    select t.content_key from task t
    where t.content_key = any (array(select content_key from task_need where needs = $1))
      and t.task_id <= $2
    order by t.level, t.content_key
    for update
)
delete from task_need n using waiting w
where n.needs = $1 and n.content_key = w.content_key
returning n.content_key

-- name: end_failure
delete from failure_pending where content_key = $1
