-- SPDX-License-Identifier: BSD-3-Clause
-- Tasks before jobs, like everybody who locks both.
select content_key, gathers from task
where content_key = any ($1::text[])
order by level, content_key
for update
