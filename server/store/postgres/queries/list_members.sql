-- SPDX-License-Identifier: BSD-3-Clause
-- $1 campaign, $2 from which ordinal on, $3 state or nothing, $4 how many. With each: what its last
-- item gave, and the first error.
select m.ordinal, m.label, m.value_list, s.state, m.job_id,
       case when m.error <> '' or s.state <> 'failed' then m.error
            else coalesce((select i.error from job_item i
                           where i.job_id = m.job_id and i.state = 'failed'
                           order by i.ordinal limit 1), '') end,
       coalesce(j.n_total, 0), coalesce(j.n_cancelled, 0), coalesce(j.n_live, 0),
       coalesce(j.n_sources, 0), coalesce(j.n_sources_done, 0), coalesce(j.n_sources_failed, 0),
       coalesce(j.n_sources_reused, 0), coalesce(j.name, ''), coalesce(j.state, ''),
       coalesce(extract(epoch from j.ended_at), 0),
       coalesce(last.sha256, ''), coalesce(last.bytes, 0), coalesce(last.n_missing, 0)
from campaign_member m
left join job j on j.job_id = m.job_id
left join job_item last on last.job_id = j.job_id and last.ordinal = j.n_total - 1
                           and last.state = 'done'
cross join lateral (select case when m.state = 'submitted' then j.state else m.state end as state) s
where m.campaign_id = $1 and m.ordinal >= $2 and ($3 = '' or s.state = $3)
order by m.ordinal
limit $4
