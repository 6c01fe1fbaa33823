-- SPDX-License-Identifier: BSD-3-Clause
-- The keys are unnested and joined, not searched for in the array: a package of n sources costs n
-- steps, not n squared, while its job is locked.
select t.content_key
from task t
where t.content_key = any ($1::text[]) and t.kind = 'package' and t.state <> 'running'
  and not exists (
      select 1
      from (select unnest(p.blocked_by) from job_item p
            where p.content_key = t.content_key and p.state = 'live'
            except
            select o.content_key from job_item p join job_item o using (job_id)
            where p.content_key = t.content_key and p.state = 'live' and o.kind <> 'solve'
           ) source (content_key)
      join artifact a on a.content_key = source.content_key)
