-- SPDX-License-Identifier: BSD-3-Clause
-- $1 tasks that were just claimed: what packages among them are made without.
with source as (
    select distinct t.task_id, s.content_key
    from task t
    join job_item p on p.content_key = t.content_key and p.state = 'live'
    cross join lateral unnest(p.blocked_by) as need
    join job_item s on s.job_id = p.job_id and s.content_key = need and s.kind = 'solve'
    where t.task_id = any ($1::bigint[]) and t.kind = 'package'
), lacking as (
    select task_id, array_agg(content_key order by content_key) as keys
    from source
    where not exists (select 1 from artifact a where a.content_key = source.content_key)
    group by task_id
)
update task t
set missing = coalesce((select keys from lacking l where l.task_id = t.task_id), '{}')
where t.task_id = any ($1::bigint[]) and t.kind = 'package'
returning t.task_id, array_to_string(t.missing, ',')
