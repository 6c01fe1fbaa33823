-- SPDX-License-Identifier: BSD-3-Clause
-- DO UPDATE locks a task that is there, so that it cannot end before this job has joined it. In the
-- order in which all who lock several tasks do so: levels of the graph, then keys. What may have to
-- wait is blocked at first, so that it enters no line twice.
insert into task (content_key, verb, owner, compat_key, pool, label, payload, priority, ordinal,
                  level, gathers, state)
select content_key, verb, owner, compat_key, pool, label, payload, priority, ordinal, level,
       gathers <> '{}', case when needs <> '{}' or gathers <> '{}' then 'blocked' else 'ready' end
from (select distinct on (i.content_key) i.*, j.owner, j.priority
      from job_item i join job j using (job_id)
      where i.job_id = $1 and i.state = 'live'
        and not exists (select 1 from artifact a where a.content_key = i.content_key)
      order by i.content_key, i.ordinal) item
order by level, content_key
on conflict (content_key) do update set priority = greatest(task.priority, excluded.priority)
returning content_key, xmax = 0 as created
