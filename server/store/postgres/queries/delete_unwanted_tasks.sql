-- SPDX-License-Identifier: BSD-3-Clause
-- Of $1, locked: nobody's live item, and nothing live needs it: those that gather take what is there,
-- and where one of another job is left, it waits for this job's sources. What is needed by a task
-- that goes here goes in the next turn.
with gone as (
    delete from task t
    where t.content_key = any ($1::text[])
      and not exists (select 1 from job_item i
                      where i.content_key = t.content_key and i.state = 'live')
      and not exists (select 1 from task_need n
                      where n.needs = t.content_key and not n.gathered)
    returning t.task_id, t.content_key, t.fence, t.worker_id, t.began_at, t.state
), needs as (
    delete from task_need n using gone where n.content_key = gone.content_key
), told as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome)
    select task_id, fence, worker_id, began_at, 'cancelled' from gone where state = 'running'
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'cancelled' from gone
returning content_key
