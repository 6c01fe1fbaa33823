-- SPDX-License-Identifier: BSD-3-Clause
-- $1 a key that has ended, $2 how many of what waits for it are looked at. Told with each that is now
-- ready: whether it gathers.
with piece as materialized (
    select t.content_key from task t
    where t.content_key = any (array(select content_key from task_need where needs = $1
                                     order by content_key limit $2::integer))
    order by t.level, t.content_key
    for update
), gone as (
    delete from task_need n using piece s where n.needs = $1 and n.content_key = s.content_key
), released as (
    update task t
    set state = 'ready',
        run_at = coalesce((select r.since from release_pending r where r.content_key = $1), store_now())
    from piece s
    where t.content_key = s.content_key and t.state = 'blocked'
      and not exists (select 1 from task_need n
                      where n.content_key = t.content_key and n.needs <> $1)
    returning t.content_key, t.gathers
)
select s.content_key, r.gathers is not null, coalesce(r.gathers, false)
from piece s left join released r using (content_key)
