-- SPDX-License-Identifier: BSD-3-Clause
-- The audit log keeps who called what, and with which outcome.

-- name: insert_audit
insert into audit (principal, role, method, resource, outcome)
values ($1, $2, $3, $4, $5)

-- name: list_audit
-- Newest first, before event $1, at most $2. Empty or 0 of the others: all. $3 principal, $4 method,
-- $5 what the resource begins with, $6 refusals alone, $7 from, $8 until (Unix time).
select event_id, extract(epoch from at), principal, role, method, resource, outcome
from audit
where event_id < $1
  and ($3 = '' or principal = $3)
  and ($4 = '' or method = $4)
  and ($5 = '' or starts_with(resource, $5))
  and (not $6::boolean or starts_with(outcome, 'refused'))
  and ($7::float8 = 0 or at >= to_timestamp($7::float8))
  and ($8::float8 = 0 or at < to_timestamp($8::float8))
order by event_id desc
limit $2

-- name: prune_audit
delete from audit
where ctid = any (array(
    select ctid from audit where at < store_now() - $1::float8 * interval '1 second'
    order by at limit $2))
returning 1

-- name: prune_refusals
delete from audit
where ctid = any (array(
    select ctid from audit
    where outcome like 'refused%' and at < store_now() - $1::float8 * interval '1 second'
    order by at limit $2))
returning 1
