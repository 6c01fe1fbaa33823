-- SPDX-License-Identifier: BSD-3-Clause
select task_id, kind from task
where task_id = any ($1::bigint[])
order by array_position('{mesh,solve,package}', kind), content_key
for update
