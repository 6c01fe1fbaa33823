-- SPDX-License-Identifier: BSD-3-Clause
-- $2 wait for $1; $3 those that gather it. All are locked or created in this transaction.
insert into task_need (needs, content_key, gathered)
select needs, content_key, gathered
from unnest($1::text[], $2::text[], $3::boolean[]) as edge (needs, content_key, gathered)
on conflict do nothing
