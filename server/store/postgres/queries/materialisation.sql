-- SPDX-License-Identifier: BSD-3-Clause
-- Materialisation creates the tasks of a large job in pieces, one run at a time.

-- name: begin_materialisation
-- $1 job, $2 run; its tasks are those of a request that is new, or of a retry, which revives its items.
insert into job_planting (job_id, run_id, of_request, reviving) values ($1, $2, $3, not $3::boolean)
on conflict (job_id) do update
set run_id = excluded.run_id, of_request = excluded.of_request, reviving = excluded.reviving,
    begun_at = excluded.begun_at, touched_at = excluded.touched_at,
    planted_level = excluded.planted_level, planted_ordinal = excluded.planted_ordinal

-- name: list_tasks_to_create
-- The items of a job that are live, or that its retry has yet to revive (revive_items), first places
-- first in each level. Told: whether a run has created it, where it gathers nothing.
select i.ordinal, i.content_key, i.level, array_to_string(i.needs, ','),
       array_to_string(i.gathers, ','),
       (i.level, i.ordinal) <= (p.planted_level, p.planted_ordinal)
from job_item i
join job_planting p on p.job_id = i.job_id
where i.job_id = $1
  and (i.state = 'live'
       or (p.reviving
           and (i.state <> 'done' or i.gathers <> '{}'
                or not exists (select 1 from artifact a where a.content_key = i.content_key))))
order by i.level, i.ordinal

-- name: touch_materialisation
-- Nothing: another run has taken the job over, or has ended. Locked, so that runs follow each other.
-- Told: whether items are revived.
update job_planting set touched_at = store_now()
where job_id = $1 and run_id = $2
returning reviving

-- name: take_over_materialisations
-- $1 run that takes over the jobs whose run has been silent for $2 seconds.
update job_planting set run_id = $1, touched_at = store_now()
where touched_at < store_now() - $2::float8 * interval '1 second'
returning job_id

-- name: take_materialisation
-- $2 run that goes on with job $1, if there is something to go on with
update job_planting set run_id = $2, touched_at = store_now() where job_id = $1 returning 1

-- name: end_future_materialisations
update job_planting set touched_at = store_now() where touched_at > store_now() returning 1

-- name: materialise_tasks
-- $1 job; $2 items of it, one of each key, in the order of locks, with $3 the states of their tasks,
-- should these be new. DO UPDATE locks a task that is there, so that it cannot end before this job
-- has joined it. OFFSET 0 looks for each item by its key; a plan without statistics goes through all.
with of_job as materialized (
    select campaign_id, member, campaign_holds(campaign_id) as holds from job where job_id = $1
)
insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, ordinal,
                  level, gathers, run_at, state, hold, campaign_id, member)
select i.content_key, i.verb, j.owner, i.compat_key, i.pool, i.label, i.payload, j.priority,
       i.ordinal, i.level, i.gathers <> '{}', p.begun_at, wanted.state, o.holds <> '',
       o.campaign_id, o.member
from unnest($2::bigint[], $3::text[]) with ordinality as wanted (ordinal, state, position)
cross join job j
cross join job_planting p
cross join of_job o
cross join lateral (select * from job_item
                    where job_id = $1 and ordinal = wanted.ordinal and state = 'live' offset 0) i
where j.job_id = $1 and p.job_id = $1
  and not exists (select 1 from artifact a where a.content_key = i.content_key)
order by wanted.position
on conflict (content_key) do update
set priority = greatest(task.priority, excluded.priority),
    hold = task.hold and case (select holds from of_job) when 'all' then true
                              when 'own' then task.campaign_id = excluded.campaign_id
                              else false end
returning content_key, xmax = 0 as created, state

-- name: count_plan
-- Distinct keys of job $1, those of them with a result, and those without whose task is there. A look
-- at an index for each, however many tasks there are.
select count(*), count(*) filter (where a.found), count(*) filter (where a.found is null and t.found)
from (select distinct content_key from job_item where job_id = $1) i
left join lateral (select true as found from artifact
                   where content_key = i.content_key limit 1) a on true
left join lateral (select true as found from task
                   where content_key = i.content_key limit 1) t on true

-- name: note_materialised
-- $2 level and $3 place of the last item of a piece: the next run goes on after it.
update job_planting set planted_level = $2, planted_ordinal = $3 where job_id = $1

-- name: end_reviving
-- Ends the retry of job $1: items that it has not come to stay as they are.
update job_planting set reviving = false where job_id = $1 and reviving returning 1

-- name: end_materialisation
delete from job_planting where job_id = $1
