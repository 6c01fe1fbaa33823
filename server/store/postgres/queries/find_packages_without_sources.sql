-- SPDX-License-Identifier: BSD-3-Clause
select t.content_key
from task t
where t.content_key = any ($1::text[]) and t.kind = 'package' and t.state <> 'running'
  and not exists (
      select 1 from job_item p
      join job_item s on s.job_id = p.job_id and s.kind = 'solve'
                         and s.content_key = any (p.blocked_by)
      join artifact a on a.content_key = s.content_key
      where p.content_key = t.content_key)
