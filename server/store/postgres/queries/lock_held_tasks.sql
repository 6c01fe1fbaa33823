-- SPDX-License-Identifier: BSD-3-Clause
select task_id, gathers from task
where task_id = any ($1::bigint[])
order by level, content_key
for update
