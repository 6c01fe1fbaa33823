-- SPDX-License-Identifier: BSD-3-Clause
-- Tokens let users and agents in, owners have quotas and uploads, and the audit log keeps who called what, and
-- with which outcome. result_upload notes the files that a token's holder has put.

-- name: insert_token
-- $6: seconds until it expires; 0: never. A hash that is known stays as it is, revoked or not.
insert into token (token_id, sha256, name, role, place, single, expires_at)
values ($1, $2, $3, $4, $5, $7,
        case when $6::float8 > 0 then store_now() + $6::float8 * interval '1 second' end)
on conflict do nothing
returning 1

-- name: find_token
select token_id, name, role, place, single, extract(epoch from created_at),
       coalesce(extract(epoch from expires_at), 0), coalesce(extract(epoch from revoked_at), 0),
       coalesce(extract(epoch from used_at), 0), sha256
from token
where token_id = $1

-- name: find_tokens_named
-- Finds tokens that can still be revoked.
select token_id
from token
where (token_id = $1 or name = $1) and revoked_at is null
order by token_id
for update

-- name: list_tokens
-- All that are good, and what was revoked or expired within the last 30 days; newest first.
select token_id, name, role, place, single, extract(epoch from created_at),
       coalesce(extract(epoch from expires_at), 0), coalesce(extract(epoch from revoked_at), 0),
       coalesce(extract(epoch from used_at), 0), sha256
from token
where coalesce(least(revoked_at, expires_at), 'infinity') > store_now() - interval '30 days'
order by created_at desc, token_id
limit 10000

-- name: list_live_tokens
select token_id, sha256, name, role, extract(epoch from expires_at - store_now())
from token
where revoked_at is null and coalesce(expires_at, 'infinity') > store_now()

-- name: lock_token_of_one_worker
-- Reads if the token is one worker's; locked, so that two cannot register at once.
select single from token
where token_id = $1
for update

-- name: set_token_request
update token set request = $2 where sha256 = $1

-- name: touch_tokens
update token set used_at = store_now()
where token_id = any ($1::text[])

-- name: revoke_token
update token set revoked_at = store_now()
where token_id = $1 and revoked_at is null
returning name

-- name: revoke_tokens_of
update token set revoked_at = store_now()
where name = $1 and place = $2 and revoked_at is null

-- name: revoke_token_of_request
update token set revoked_at = store_now()
where request = $1 and revoked_at is null

-- name: prune_tokens
-- Deletes tokens that were one agent's; others stay, so that a revoked one does not come back.
delete from token
where ctid = any (array(
    select ctid from token
    where single and revoked_at is not null
      and revoked_at < store_now() - $1::float8 * interval '1 second'
    order by revoked_at limit $2))
returning 1

-- name: note_result_uploads
-- $1 token, $2 files. Rows of two days ago are of no use: whoever put the file has said so, or is gone.
with old as (
    delete from result_upload where put_at < store_now() - interval '2 days'
), put as materialized (
    select distinct sha256 from unnest($2::text[]) as f (sha256)
), kept as (
    insert into loose_file (sha256) select sha256 from put order by sha256
    on conflict (sha256) do update set since = excluded.since
)
insert into result_upload (token_id, sha256) select $1, sha256 from put order by sha256
on conflict (token_id, sha256) do update set put_at = excluded.put_at

-- name: find_result_upload
select 1 from result_upload where token_id = $1 and sha256 = $2

-- name: set_owner_quota
insert into owner_quota (owner, queued, running, bytes, weight)
values ($1, nullif($2::bigint, -1), nullif($3::bigint, -1), nullif($4::bigint, -1), $5)
on conflict (owner) do update
set queued = excluded.queued, running = excluded.running, bytes = excluded.bytes,
    weight = excluded.weight

-- name: list_owner_quotas
select owner, coalesce(queued, -1), coalesce(running, -1), coalesce(bytes, -1), weight
from owner_quota
order by owner

-- name: lock_owner_quota
-- Claims for an owner whose running tasks are bounded follow one another.
select 1 from owner_quota where owner = $1 for update

-- name: use_of_owner
-- Tasks that its jobs wait for, those that run for it, bytes of its jobs' results, each file once.
select (select coalesce(sum(n_live), 0) from job where owner = $1 and state = 'active'),
       (select count(*) from task where state = 'running' and owner = $1),
       (select coalesce(sum(bytes), 0)
        from (select i.sha256, max(i.bytes) as bytes
              from job j join job_item i using (job_id)
              where j.owner = $1 and i.state = 'done'
              group by i.sha256) f)

-- name: note_owner_upload
insert into owner_upload (owner, sha256, bytes) values ($1, $2, $3)
on conflict (owner, sha256) do update
set put_at = store_now(), bytes = greatest(owner_upload.bytes, excluded.bytes)

-- name: list_owner_uploads
select sha256, bytes from owner_upload where owner = $1 order by sha256

-- name: forget_owner_uploads
delete from owner_upload where owner = $1 and sha256 = any ($2::text[])

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
