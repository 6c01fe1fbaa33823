-- SPDX-License-Identifier: BSD-3-Clause
-- $1 campaign, whose drive is locked; $2 tasks that may be ready or with workers at a time
update task t set hold = false
where t.task_id = any (array(
    select h.task_id from task h
    where h.campaign_id = $1 and h.state = 'held'
    order by h.member, h.ordinal, h.task_id
    limit greatest(0, $2::bigint - (select count(*) from task b
                                    where b.campaign_id = $1 and b.campaign_id <> ''
                                      and b.state in ('ready', 'running')))
    for update skip locked))
  and t.state = 'held'
returning 1
