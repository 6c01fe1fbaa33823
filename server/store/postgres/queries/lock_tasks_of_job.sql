-- SPDX-License-Identifier: BSD-3-Clause
-- Tasks before jobs, like everybody who locks both.
select content_key, gathers from task
where content_key in (select content_key from job_item where job_id = $1 and state = 'live')
order by level, content_key
for update
