-- SPDX-License-Identifier: BSD-3-Clause
-- Of these jobs, the oldest dataset first.
select d.job_id, d.owner, d.title, d.campaign_id, coalesce(m.label, ''), d.physics,
       array_to_string(d.faults, E'\x1f'), d.structure_sha256, d.n_stations,
       coalesce((d.place[1])[0], 0), coalesce((d.place[1])[1], 0), coalesce((d.place[0])[0], 0),
       coalesce((d.place[0])[1], 0), d.place is not null, d.n_sources,
       array_to_string(d.tags, E'\x1f'), d.pinned, coalesce(extract(epoch from d.made_at), 0),
       d.sha256, d.bytes, d.n_missing, j.state, j.event_seq, d.position
from dataset d
join job j using (job_id)
left join campaign_member m on m.campaign_id = d.campaign_id and m.ordinal = d.member
where d.job_id = any ($1::text[])
order by d.made_at nulls last, d.position
