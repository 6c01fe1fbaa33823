-- SPDX-License-Identifier: BSD-3-Clause
-- For each job that wants the result $1: whether it has, or will have, something that task $2 was
-- claimed without, and whether the result of one that it had is gone. A job that is being retried will
-- have whatever it lacks.
select p.job_id,
       bool_or(s.state = 'live' or (s.state = 'done' and a.content_key is not null)
               or r.job_id is not null),
       bool_or(s.state = 'done' and a.content_key is null and r.job_id is null)
from task t
cross join lateral unnest(t.missing) as m (content_key)
join job_item p on p.content_key = $1 and p.state = 'live'
join job_item s on s.job_id = p.job_id and s.content_key = m.content_key
left join artifact a on a.content_key = m.content_key
left join job_planting r on r.job_id = p.job_id and r.reviving
where t.task_id = $2
group by p.job_id
