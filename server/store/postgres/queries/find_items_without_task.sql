-- SPDX-License-Identifier: BSD-3-Clause
select 1 from job_item i
where i.job_id = $1 and i.state = 'live'
  and not exists (select 1 from task t where t.content_key = i.content_key)
limit 1
