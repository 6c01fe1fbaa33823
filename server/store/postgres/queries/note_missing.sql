-- SPDX-License-Identifier: BSD-3-Clause
-- $1 tasks that were just claimed: what gatherers among them are made without.
with gathered as (
    select distinct t.task_id, key.content_key
    from task t
    join job_item p on p.content_key = t.content_key and p.state = 'live'
    cross join lateral unnest(p.gathers) as key (content_key)
    where t.task_id = any ($1::bigint[]) and t.gathers
), lacking as (
    select task_id, array_agg(content_key order by content_key) as keys
    from gathered
    where not exists (select 1 from artifact a where a.content_key = gathered.content_key)
    group by task_id
)
update task t
set missing = coalesce((select keys from lacking l where l.task_id = t.task_id), '{}')
where t.task_id = any ($1::bigint[]) and t.gathers
returning t.task_id, array_to_string(t.missing, ',')
