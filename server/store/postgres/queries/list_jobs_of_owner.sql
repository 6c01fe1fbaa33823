-- SPDX-License-Identifier: BSD-3-Clause
select job_id, owner, name, '' as spec, estimate, state, priority, n_total, n_done, n_failed, n_cancelled,
       n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq,
       extract(epoch from created_at), coalesce(extract(epoch from ended_at), 0), position, traceparent
from job
where position < $1 and owner = $2 and ($3 = '' or name = $3) and ($4 = '' or state = $4)
order by owner desc, position desc
limit $5
