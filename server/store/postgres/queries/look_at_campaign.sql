-- SPDX-License-Identifier: BSD-3-Clause
select c.campaign_id, c.owner, c.title, c.axes, c.cost, c.state, c.priority, c.tasks_at_once, c.hours,
       c.bytes, c.turn, c.work, coalesce(d.reason, ''), extract(epoch from c.created_at),
       coalesce(extract(epoch from c.ended_at), 0), c.position
from campaign c left join campaign_drive d using (campaign_id)
where c.campaign_id = $1
