-- SPDX-License-Identifier: BSD-3-Clause
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
