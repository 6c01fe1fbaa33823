-- SPDX-License-Identifier: BSD-3-Clause
-- The artifact store keeps results and other files. A file to which nothing refers is loose, and is
-- forgotten after a while.

-- name: note_artifact_store
-- The first one is kept; its place follows it.
insert into artifact_store (store_id, place) values ($1, $2)
on conflict (one) do update set place = excluded.place
where artifact_store.store_id = excluded.store_id

-- name: find_artifact_store
select store_id, place from artifact_store

-- name: find_artifacts
select k.position, a.content_key, a.sha256, a.bytes, a.uri
from unnest($1::text[]) with ordinality as k (content_key, position)
join artifact a using (content_key)

-- name: forget_artifact
delete from artifact where content_key = $1

-- name: keep_files
-- $1 files that are about to be named. Waits for a collector that is removing one; after this none
-- does before this transaction has ended.
insert into loose_file (sha256)
select distinct file from unnest($1::text[]) as f (file) order by file
on conflict (sha256) do update set since = excluded.since

-- name: list_files_in_use
-- As file_in_use, of all files at once, and those of results that no job has now: who wants the same
-- again gets them.
select sha256 from job_file
union select sha256 from campaign_file
union select sha256 from job_item where sha256 <> ''
union select sha256 from artifact
union select f.sha256 from task_file f join task t using (content_key)
union select sha256 from result_upload where put_at > store_now() - interval '2 days'
order by 1

-- name: note_loose_files
-- $1 files. Of those to which nothing refers: for how long that has been known, in seconds, and
-- whether it is a result that could be reused. Rows of files in use go.
with judged as materialized (
    select file as sha256, file_in_use(file) as used
    from (select distinct unnest($1::text[]) as file) f
), used_again as (
    delete from loose_file
    where sha256 in (select l.sha256 from loose_file l join judged j on j.sha256 = l.sha256
                     where j.used for update of l skip locked)
), fresh as (
    insert into loose_file (sha256) select sha256 from judged where not used order by sha256
    on conflict do nothing
)
select j.sha256, coalesce(extract(epoch from store_now() - l.since), 0),
       exists (select from artifact a where a.sha256 = j.sha256)
from judged j left join loose_file l on l.sha256 = j.sha256
where not j.used
order by j.sha256

-- name: lock_loose_files
-- $1 files and $2 for how many seconds nothing must have referred to each. What somebody is about
-- to name is locked, and left out.
select l.sha256
from loose_file l
join unnest($1::text[], $2::float8[]) as f (sha256, least_s) on f.sha256 = l.sha256
where l.since <= store_now() - f.least_s * interval '1 second'
order by l.sha256
for update of l skip locked

-- name: lock_results_of_files
select content_key from artifact
where sha256 = any ($1::text[])
order by content_key
for update skip locked

-- name: find_unused_files
-- $1 files, locked, and $2 keys of their results, locked: a result that is not among these is being
-- reused.
select f.sha256
from unnest($1::text[]) as f (sha256)
where not file_in_use(f.sha256)
  and not exists (select from artifact a
                  where a.sha256 = f.sha256 and a.content_key <> all ($2::text[]))

-- name: hold_files
-- Until the session ends; the sweeps' may_forget_files is the other side.
select pg_try_advisory_lock(7303732)

-- name: may_forget_files
-- False while a backup is made: it holds this lock, and copies what was there when it began.
select pg_try_advisory_xact_lock_shared(7303732)

-- name: forget_files
with results as (
    delete from artifact where sha256 = any ($1::text[])
)
delete from loose_file where sha256 = any ($1::text[])

-- name: prune_loose_files
-- Forgets files that went another way; one that is still there is only noted anew.
delete from loose_file
where ctid = any (array(
    select ctid from loose_file where since < store_now() - $1::float8 * interval '1 second'
    limit $2))
returning 1
