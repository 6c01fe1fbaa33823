-- SPDX-License-Identifier: BSD-3-Clause
-- Two that end at once must see each other: the second waits here and then looks anew. Told with
-- each: whether it is done for where one of the keys failed, for it needs that one and is not
-- running with what it was given.
select t.content_key,
       t.state <> 'running'
       and exists (select 1 from task_need n
                   where n.content_key = t.content_key and n.needs = any ($1::text[])
                     and not n.gathered)
from task t
where t.content_key = any (array(select distinct n.content_key from task_need n
                                 where n.needs = any ($1::text[])))
order by t.level, t.content_key
for update
