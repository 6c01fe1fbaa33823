-- SPDX-License-Identifier: BSD-3-Clause
-- An attempt is written once, when it ends; while it goes on, the task says when it began. Rows that
-- were written at a claim and changed at the end cost a pack of 256 as much as its results did.
alter table task add column began_at timestamptz;
update task t
set began_at = coalesce((select a.started_at from attempt a
                         where a.task_id = t.task_id and a.fence = t.fence), store_now())
where t.state = 'running';
drop index attempt_open;
drop index attempt_ended;
delete from attempt where outcome is null;
alter table attempt
    alter column ended_at set default store_now(),
    drop constraint attempt_outcome_check,
    add check (outcome in ('done', 'failed', 'returned', 'lost', 'cancelled'));
create index attempt_ended on attempt (ended_at);

-- What an answered claim gave: the tasks themselves say the rest for as long as they are its worker's.
alter table claim_answer add column task_ids bigint[] not null default '{}',
                         add column fences bigint[] not null default '{}';
update claim_answer c
set task_ids = given.ids, fences = given.fences
from (select claim_id, array_agg((t.value ->> 'task_id')::bigint order by t.place) as ids,
             array_agg((t.value ->> 'fence')::bigint order by t.place) as fences
      from claim_answer
      cross join lateral json_array_elements(tasks) with ordinality as t (value, place)
      group by claim_id) given
where c.claim_id = given.claim_id;
alter table claim_answer drop column tasks,
                         alter column task_ids drop default,
                         alter column fences drop default;
