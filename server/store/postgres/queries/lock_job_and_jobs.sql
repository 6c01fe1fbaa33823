-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job, and those that want one of $2.
select 1 from job
where job_id = $1
   or job_id = any (array(select distinct job_id from job_item
                          where content_key = any ($2::text[]) and state = 'live'))
order by job_id
for update
