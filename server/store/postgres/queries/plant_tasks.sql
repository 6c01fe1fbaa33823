-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job; $2 items of it, one of each key, in the order of locks, with $3 the states of their tasks,
-- should these be new. DO UPDATE locks a task that is there, so that it cannot end before this job
-- has joined it.
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
join job_item i on i.job_id = $1 and i.ordinal = wanted.ordinal
where j.job_id = $1 and p.job_id = $1 and i.state = 'live'
  and not exists (select 1 from artifact a where a.content_key = i.content_key)
order by wanted.position
on conflict (content_key) do update
set priority = greatest(task.priority, excluded.priority),
    hold = task.hold and case (select holds from of_job) when 'all' then true
                              when 'own' then task.campaign_id = excluded.campaign_id
                              else false end
returning content_key, xmax = 0 as created, state
