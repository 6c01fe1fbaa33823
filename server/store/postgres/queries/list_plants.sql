-- SPDX-License-Identifier: BSD-3-Clause
-- The items of a job that are live, or that its retry has yet to revive (revive_items), first places
-- first in each level.
select i.ordinal, i.content_key, i.level, array_to_string(i.needs, ','),
       array_to_string(i.gathers, ',')
from job_item i
join job_planting p on p.job_id = i.job_id
where i.job_id = $1
  and (i.state = 'live'
       or (p.reviving
           and (i.state <> 'done' or i.gathers <> '{}'
                or not exists (select 1 from artifact a where a.content_key = i.content_key))))
order by i.level, i.ordinal
