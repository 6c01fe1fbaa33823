-- SPDX-License-Identifier: BSD-3-Clause
-- What still waits for $1, which failed, and came before task $2 was created: it gathers or runs.
with waiting as materialized (
    select t.content_key from task t
    where t.content_key = any (array(select content_key from task_need where needs = $1))
      and t.task_id <= $2
    order by t.level, t.content_key
    for update
)
delete from task_need n using waiting w
where n.needs = $1 and n.content_key = w.content_key
returning n.content_key
