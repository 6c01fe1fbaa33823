-- SPDX-License-Identifier: BSD-3-Clause
-- Those that wait for something; after a statement that locked them, so that no need ends meanwhile.
update task t
set state = 'blocked'
from unnest($1::text[]) as k (content_key)
where t.content_key = k.content_key and t.state in ('ready', 'held')
  and exists (select 1 from task_need n where n.content_key = t.content_key)
