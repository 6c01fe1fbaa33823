-- SPDX-License-Identifier: BSD-3-Clause
insert into failure_pending (content_key, error, last_task_id)
select key, $2, (select coalesce(max(task_id), 0) from task) from unnest($1::text[]) as key
on conflict (content_key) do update
set error = excluded.error, last_task_id = excluded.last_task_id
