-- SPDX-License-Identifier: BSD-3-Clause
-- What tasks of $1 that are not held wait for, and what that waits for.
with recursive needed as (
    select n.needs from task_need n join task w on w.content_key = n.content_key
    where w.content_key = any ($1::text[]) and not w.hold
    union
    select n.needs from needed d join task_need n on n.content_key = d.needs
)
update task t set hold = false
where t.content_key = any (array(select needs from needed)) and t.hold
returning t.content_key
