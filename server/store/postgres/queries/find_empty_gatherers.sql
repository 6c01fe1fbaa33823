-- SPDX-License-Identifier: BSD-3-Clause
-- Of tasks whose needs have ended: those that gather and find nothing. The keys are unnested and
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
