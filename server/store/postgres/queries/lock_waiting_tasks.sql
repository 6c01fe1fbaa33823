-- SPDX-License-Identifier: BSD-3-Clause
-- Two that end at once must see each other: the second waits here and then looks anew.
select t.content_key, t.kind
from task t
where t.content_key in (select content_key from task_need where needs = any ($1::text[]))
order by array_position('{mesh,solve,package}', t.kind), t.content_key
for update
