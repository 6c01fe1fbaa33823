-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job, $2 items of it: those that failed, were cancelled or gather, and those whose result is
-- gone, live again. Told: how many had failed, were cancelled and done; sources that had failed, were
-- done, and were done by reuse.
with was as materialized (
    select i.ordinal, i.state, i.source, i.reused
    from unnest($2::bigint[]) as asked (ordinal)
    join job_item i on i.job_id = $1 and i.ordinal = asked.ordinal
    where i.state in ('failed', 'cancelled')
       or (i.state = 'done'
           and (i.gathers <> '{}'
                or not exists (select 1 from artifact a where a.content_key = i.content_key)))
), revived as (
    update job_item i
    set state = 'live', error = '', sha256 = '', bytes = 0, reused = false, n_missing = 0
    from was w
    where i.job_id = $1 and i.ordinal = w.ordinal
)
select count(*) filter (where state = 'failed'), count(*) filter (where state = 'cancelled'),
       count(*) filter (where state = 'done'), count(*) filter (where state = 'failed' and source),
       count(*) filter (where state = 'done' and source),
       count(*) filter (where state = 'done' and source and reused)
from was
