-- SPDX-License-Identifier: BSD-3-Clause
-- An owner has quotas and uploads.

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
