-- SPDX-License-Identifier: BSD-3-Clause
-- Members by state and sums over their jobs, for each of $1.
select m.campaign_id, count(*),
       count(*) filter (where s.state = 'waiting'), count(*) filter (where s.state = 'active'),
       count(*) filter (where s.state = 'done'), count(*) filter (where s.state = 'failed'),
       count(*) filter (where s.state = 'cancelled'), count(*) filter (where s.state = 'refused'),
       coalesce(sum(j.n_sources), 0), coalesce(sum(j.n_sources_done), 0),
       coalesce(sum(j.n_sources_failed), 0), coalesce(sum(j.n_sources_reused), 0),
       coalesce(sum(j.n_sources - j.n_sources_done - j.n_sources_failed)
                filter (where j.state = 'active'), 0)
from campaign_member m
left join job j on j.job_id = m.job_id
cross join lateral (select case when m.state = 'submitted' then j.state else m.state end as state) s
where m.campaign_id = any ($1::text[])
group by m.campaign_id
