-- SPDX-License-Identifier: BSD-3-Clause
select c.campaign_id, c.owner, c.title, c.axes, c.cost, c.state, c.priority, c.tasks_at_once, c.hours,
       c.bytes, c.turn, c.work, coalesce(d.reason, ''), extract(epoch from c.created_at),
       coalesce(extract(epoch from c.ended_at), 0), c.position
from campaign c left join campaign_drive d using (campaign_id)
where c.position < $1 and ($2 = '' or c.owner = $2) and ($3 = '' or c.title = $3)
  and ($4 = '' or c.state = $4)
order by c.position desc
limit $5
