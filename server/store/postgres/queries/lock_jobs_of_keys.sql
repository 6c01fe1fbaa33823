-- SPDX-License-Identifier: BSD-3-Clause
select 1 from job
where job_id = any (array(select distinct job_id from job_item
                          where content_key = any ($1::text[]) and state = 'live'))
order by job_id
for update
