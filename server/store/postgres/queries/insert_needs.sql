-- SPDX-License-Identifier: BSD-3-Clause
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
