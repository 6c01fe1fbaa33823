-- SPDX-License-Identifier: BSD-3-Clause
-- Nobody's live item, and nothing live waits for it but packages, which take what is there: where a
-- package of another job is left, it waits for this job's sources.
with gone as (
    delete from task t
    where t.content_key in (select content_key from job_item where job_id = $1 and kind = $2)
      and t.kind = $2
      and not exists (select 1 from job_item i
                      where i.content_key = t.content_key and i.state = 'live')
      and not exists (select 1 from task_need n join task w on w.content_key = n.content_key
                      where n.needs = t.content_key and w.kind <> 'package')
    returning t.task_id, t.content_key
), needs as (
    delete from task_need n using gone where n.content_key = gone.content_key
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'cancelled' from gone
returning content_key
