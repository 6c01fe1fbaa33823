-- SPDX-License-Identifier: BSD-3-Clause
with gone as (
    delete from task where content_key = any ($1::text[]) returning task_id, content_key
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'failed' from gone
