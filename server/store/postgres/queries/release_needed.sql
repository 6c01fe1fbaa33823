-- SPDX-License-Identifier: BSD-3-Clause
-- $1 keys that have ended. What waited for nothing else is ready; told with each: whether it gathers.
with gone as (
    delete from task_need where needs = any ($1::text[])
    returning content_key
)
update task t
set state = 'ready', run_at = store_now()
where t.content_key = any (array(select content_key from gone)) and t.state = 'blocked'
  and not exists (select 1 from task_need n
                  where n.content_key = t.content_key and n.needs <> all ($1::text[]))
returning t.content_key, t.gathers
