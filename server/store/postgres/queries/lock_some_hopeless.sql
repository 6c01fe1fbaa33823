-- SPDX-License-Identifier: BSD-3-Clause
-- At most $2 tasks that need $1, which failed; not those that run, for they have what it gave, nor
-- those that came after task $3.
select t.content_key from task t
where t.content_key = any (array(
    select n.content_key
    from task_need n
    cross join lateral (select 1 from task w
                        where w.content_key = n.content_key and w.task_id <= $3::bigint
                          and w.state <> 'running' offset 0) w
    where n.needs = $1 and not n.gathered
    order by n.content_key limit $2::integer))
order by t.level, t.content_key
for update
