-- SPDX-License-Identifier: BSD-3-Clause
-- Of new tasks: those that wait for nothing.
update task t
set state = 'ready'
from unnest($1::text[]) as k (content_key)
where t.content_key = k.content_key and t.state = 'blocked'
  and not exists (select 1 from task_need n where n.content_key = t.content_key)
