-- SPDX-License-Identifier: BSD-3-Clause
update task t
set state = 'ready', run_at = store_now()
where t.content_key = any ($1::text[]) and t.state = 'blocked'
  and not exists (select 1 from task_need n where n.content_key = t.content_key)
returning t.content_key
