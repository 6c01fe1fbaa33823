-- SPDX-License-Identifier: BSD-3-Clause
update task t
set state = 'blocked'
where t.content_key = any ($1::text[]) and t.state = 'ready'
  and exists (select 1 from task_need n where n.content_key = t.content_key)
