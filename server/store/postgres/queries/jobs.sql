-- SPDX-License-Identifier: BSD-3-Clause
-- A job is submitted by a request and reports what becomes of it by events.

-- name: begin_request
-- A concurrent repetition waits here for the first one to commit.
insert into request (principal, request_id, body_sha256, job_id)
values ($1, $2, $3, $4)
on conflict do nothing
returning 1

-- name: find_request
select body_sha256, job_id, n_created, n_joined, n_cached
from request
where principal = $1 and request_id = $2

-- name: finish_request
update request
set n_created = $3, n_joined = $4, n_cached = $5
where principal = $1 and request_id = $2

-- name: forget_requests
-- $1 days for which a request is known after its job was deleted.
delete from request r
where r.known_since < store_now() - $1::integer * interval '1 day'
  and not exists (select 1 from job j where j.job_id = r.job_id)
  and not exists (select 1 from campaign c where c.campaign_id = r.job_id)

-- name: insert_job
insert into job (job_id, owner, name, spec, estimate, priority, n_total, n_live, n_sources,
                 traceparent)
values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)

-- name: insert_job_files
insert into job_file (job_id, sha256)
select distinct $1, file from unnest($2::text[]) as f (file)

-- name: find_job
select job_id, owner, name, spec, estimate, state, priority, n_total, n_done, n_failed, n_cancelled, n_live,
       n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq,
       extract(epoch from created_at), coalesce(extract(epoch from ended_at), 0), position, traceparent,
       exists (select from job_cancelling c where c.job_id = job.job_id), campaign_id,
       coalesce((select m.label from campaign_member m
                 where m.campaign_id = job.campaign_id and m.ordinal = job.member), '')
from job
where job_id = $1

-- name: look_at_job
-- Without its specification, which may be megabytes.
select job_id, owner, name, '' as spec, estimate, state, priority, n_total, n_done, n_failed, n_cancelled, n_live,
       n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq,
       extract(epoch from created_at), coalesce(extract(epoch from ended_at), 0), position, traceparent,
       exists (select from job_cancelling c where c.job_id = job.job_id), campaign_id,
       coalesce((select m.label from campaign_member m
                 where m.campaign_id = job.campaign_id and m.ordinal = job.member), '')
from job
where job_id = $1

-- name: find_job_state
-- Finds a job without its specification, which may be megabytes.
select state from job where job_id = $1

-- name: find_job_owner
select owner from job where job_id = $1

-- name: find_campaign_of_job
select campaign_id from job where job_id = $1 and campaign_id <> ''

-- name: list_jobs
select job_id, owner, name, '' as spec, estimate, state, priority, n_total, n_done, n_failed, n_cancelled,
       n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq,
       extract(epoch from created_at), coalesce(extract(epoch from ended_at), 0), position, traceparent,
       exists (select from job_cancelling c where c.job_id = job.job_id), campaign_id,
       coalesce((select m.label from campaign_member m
                 where m.campaign_id = job.campaign_id and m.ordinal = job.member), '')
from job
where position < $1 and ($2 = '' or owner = $2) and ($3 = '' or name = $3)
  and ($4 = '' or state = $4)
order by position desc
limit $5

-- name: list_jobs_of_owner
select job_id, owner, name, '' as spec, estimate, state, priority, n_total, n_done, n_failed, n_cancelled,
       n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq,
       extract(epoch from created_at), coalesce(extract(epoch from ended_at), 0), position, traceparent,
       exists (select from job_cancelling c where c.job_id = job.job_id), campaign_id,
       coalesce((select m.label from campaign_member m
                 where m.campaign_id = job.campaign_id and m.ordinal = job.member), '')
from job
where position < $1 and owner = $2 and ($3 = '' or name = $3) and ($4 = '' or state = $4)
order by owner desc, position desc
limit $5

-- name: list_jobs_by_id
-- $6 begins their ids. They are found by the index of ids before anything else is looked at: of few
-- rows to come, PostgreSQL would go through all jobs from the newest.
with found as materialized (
    select * from job
    where job_id collate "C" >= $6 and job_id collate "C" < $6 || '~'
      and position < $1 and ($2 = '' or owner = $2) and ($3 = '' or name = $3)
      and ($4 = '' or state = $4)
)
select job_id, owner, name, '' as spec, estimate, state, priority, n_total, n_done, n_failed, n_cancelled,
       n_live, n_sources, n_sources_done, n_sources_failed, n_sources_reused, event_seq,
       extract(epoch from created_at), coalesce(extract(epoch from ended_at), 0), position, traceparent,
       exists (select from job_cancelling c where c.job_id = job.job_id), campaign_id,
       coalesce((select m.label from campaign_member m
                 where m.campaign_id = job.campaign_id and m.ordinal = job.member), '')
from found as job
order by position desc
limit $5

-- name: count_active_jobs
select count(*) from job where state = 'active'

-- name: lock_job
select state from job where job_id = $1 for update

-- name: lock_job_and_jobs
-- $1 job, and those that want one of $2.
select 1 from job
where job_id = $1
   or job_id = any (array(select distinct job_id from job_item
                          where content_key = any ($2::text[]) and state = 'live'))
order by job_id
for update

-- name: lock_jobs_of_keys
select 1 from job
where job_id = any (array(select distinct job_id from job_item
                          where content_key = any ($1::text[]) and state = 'live'))
order by job_id
for update

-- name: set_campaign_of_job
update job set campaign_id = $2, member = $3 where job_id = $1

-- name: count_ended_items
-- The event numbers are taken while the job's row is locked: no watcher can skip one.
update job
set n_live = n_live - $2,
    n_done = n_done + case when $3 = 'done' then $2::bigint else 0 end,
    n_failed = n_failed + case when $3 = 'failed' then $2::bigint else 0 end,
    n_cancelled = n_cancelled + case when $3 = 'cancelled' then $2::bigint else 0 end,
    n_sources_done = n_sources_done + case when $3 = 'done' then $4::bigint else 0 end,
    n_sources_failed = n_sources_failed + case when $3 = 'failed' then $4::bigint else 0 end,
    n_sources_reused = n_sources_reused + case when $5 then $4::bigint else 0 end,
    event_seq = event_seq + $2
where job_id = $1
returning event_seq - $2

-- name: finish_job
update job
set state = case when n_cancelled > 0 then 'cancelled' when n_failed > 0 then 'failed'
                 else 'done' end, ended_at = store_now()
where job_id = $1 and state = 'active' and n_live = 0
returning state

-- name: revive_job
update job set state = 'active', ended_at = null where job_id = $1 and state <> 'active'

-- name: count_revived
-- $1 job; $2 to $7 as revive_items tells them.
update job
set n_failed = n_failed - $2, n_cancelled = n_cancelled - $3, n_done = n_done - $4,
    n_live = n_live + $2 + $3 + $4, n_sources_failed = n_sources_failed - $5,
    n_sources_done = n_sources_done - $6, n_sources_reused = n_sources_reused - $7
where job_id = $1

-- name: delete_job
-- The days for which its request stays known begin now. Tasks that live on for others keep the files
-- of this job's specification.
with known as (
    update request set known_since = store_now() where job_id = $1
), kept as (
    insert into task_file (content_key, sha256)
    select distinct i.content_key, f.sha256
    from job_item i
    join task t on t.content_key = i.content_key and t.payload = i.payload
    join job_file f on f.job_id = i.job_id
    where i.job_id = $1
    on conflict do nothing
), cancelled as (
    delete from job_cancelling where job_id = $1
)
delete from job where job_id = $1

-- name: begin_cancel
-- Nothing: it has ended, or is being cancelled already.
insert into job_cancelling (job_id, owner)
select job_id, owner from job where job_id = $1 and state = 'active'
on conflict do nothing
returning 1

-- name: begin_cancels_of_campaign
insert into job_cancelling (job_id, owner)
select job_id, owner from job
where campaign_id = $1 and campaign_id <> '' and state = 'active'
on conflict do nothing

-- name: touch_cancel
update job_cancelling set touched_at = store_now() where job_id = $1 returning 1

-- name: end_cancel
delete from job_cancelling where job_id = $1

-- name: list_left_cancels
-- Nobody has gone on with these for $1 seconds.
select job_id from job_cancelling
where touched_at < store_now() - $1::float8 * interval '1 second'
order by job_id

-- name: insert_job_event
with numbered as (
    update job set event_seq = event_seq + 1 where job_id = $1 returning event_seq
)
insert into job_event (job_id, seq, type, ordinal, detail)
select $1, event_seq, $2, -1, $3 from numbered

-- name: insert_item_events
insert into job_event (job_id, seq, type, ordinal, detail)
select $1, $2::bigint + position, $3, ordinal, $4
from unnest($5::bigint[]) with ordinality as item (ordinal, position)

-- name: list_events
select seq, type, ordinal, detail
from job_event
where job_id = $1 and seq > $2 and ($4::boolean or type <> 'item_cancelled')
order by seq
limit $3

-- name: list_event_seqs
select k.position, j.event_seq
from unnest($1::text[]) with ordinality as k (job_id, position)
join job j on j.job_id = k.job_id
