-- SPDX-License-Identifier: BSD-3-Clause
insert into task_need (needs, content_key)
select distinct need, i.content_key
from job_item i
cross join lateral unnest(i.blocked_by) as need
where i.job_id = $1 and i.content_key = any ($2::text[])
  and exists (select 1 from task t where t.content_key = need)
on conflict do nothing
