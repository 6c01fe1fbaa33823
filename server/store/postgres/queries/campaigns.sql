-- SPDX-License-Identifier: BSD-3-Clause
-- A campaign has members, each of which becomes a job; a drive submits them.

-- name: insert_campaign
insert into campaign (campaign_id, owner, title, priority, axes, cost, tasks_at_once, hours, bytes)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: insert_campaign_files
insert into campaign_file (campaign_id, sha256)
select distinct $1, file from unnest($2::text[]) as f (file)
on conflict do nothing

-- name: look_at_campaign
select c.campaign_id, c.owner, c.title, c.axes, c.cost, c.state, c.priority, c.tasks_at_once, c.hours,
       c.bytes, c.turn, c.work, coalesce(d.reason, ''), extract(epoch from c.created_at),
       coalesce(extract(epoch from c.ended_at), 0), c.position
from campaign c left join campaign_drive d using (campaign_id)
where c.campaign_id = $1

-- name: list_campaigns
select c.campaign_id, c.owner, c.title, c.axes, c.cost, c.state, c.priority, c.tasks_at_once, c.hours,
       c.bytes, c.turn, c.work, coalesce(d.reason, ''), extract(epoch from c.created_at),
       coalesce(extract(epoch from c.ended_at), 0), c.position
from campaign c left join campaign_drive d using (campaign_id)
where c.position < $1 and ($2 = '' or c.owner = $2) and ($3 = '' or c.title = $3)
  and ($4 = '' or c.state = $4) and ($6 = '' or starts_with(c.campaign_id, $6))
order by c.position desc
limit $5

-- name: count_campaigns
-- Members by state and sums over their jobs, for each of $1.
select m.campaign_id, count(*),
       count(*) filter (where s.state = 'waiting'), count(*) filter (where s.state = 'active'),
       count(*) filter (where s.state = 'done'), count(*) filter (where s.state = 'failed'),
       count(*) filter (where s.state = 'cancelled'), count(*) filter (where s.state = 'refused'),
       coalesce(sum(j.n_sources), 0), coalesce(sum(j.n_sources_done), 0),
       coalesce(sum(j.n_sources_failed), 0), coalesce(sum(j.n_sources_reused), 0),
       coalesce(sum(j.n_sources - j.n_sources_done - j.n_sources_failed)
                filter (where j.state = 'active'), 0)
from campaign_member m
left join job j on j.job_id = m.job_id
cross join lateral (select case when m.state = 'submitted' then j.state else m.state end as state) s
where m.campaign_id = any ($1::text[])
group by m.campaign_id

-- name: lock_campaign
-- Against all others that change it, or create or hold tasks for it.
select state, turn from campaign where campaign_id = $1 for no key update

-- name: share_campaign
-- Nobody pauses, resumes or cancels it until this transaction ends. $2 turn; 0: any.
select state from campaign where campaign_id = $1 and ($2::bigint = 0 or turn = $2) for share

-- name: share_campaign_of_job
-- Locks the campaign of a job in the same way.
select c.state from campaign c
where c.campaign_id = (select j.campaign_id from job j where j.job_id = $1 and j.campaign_id <> '')
for share

-- name: grow_campaign
update campaign
set axes = $2, cost = $3, turn = turn + 1,
    state = case when state = 'paused' then 'paused' else 'active' end,
    ended_at = null
where campaign_id = $1

-- name: set_campaign_limits
update campaign
set tasks_at_once = $2, hours = $3, bytes = $4, turn = turn + 1,
    work = case when state <> 'active' or tasks_at_once = $2::bigint then work
                when $2::bigint = 0 then 'lift' else 'hold' end
where campaign_id = $1
returning work, turn

-- name: set_campaign_state
-- $1 campaign, locked; $2 state, $3 what is to be done to its tasks
update campaign
set state = $2, work = $3, turn = turn + 1,
    ended_at = case when $2 in ('active', 'paused') then null else store_now() end
where campaign_id = $1
returning turn

-- name: end_campaign_work
update campaign set work = '' where campaign_id = $1 and turn = $2

-- name: settle_campaign
update campaign c
set state = case when exists (select from campaign_member m left join job j on j.job_id = m.job_id
                              where m.campaign_id = c.campaign_id
                                and case when m.state = 'submitted' then j.state else m.state end
                                    is distinct from 'done')
                 then 'failed' else 'done' end,
    ended_at = store_now(), turn = turn + 1
where c.campaign_id = $1 and c.state = 'active' and c.work = ''
  and not exists (select from campaign_member m
                  where m.campaign_id = c.campaign_id and m.state = 'waiting')
  and not exists (select from job j
                  where j.campaign_id = c.campaign_id and j.campaign_id <> '' and j.state = 'active')
returning 1

-- name: delete_campaign
with known as (
    update request set known_since = store_now() where job_id = $1
), free as (
    update job set campaign_id = '' where campaign_id = $1 and campaign_id <> ''
), found_alone as (
    update dataset set campaign_id = '' where campaign_id = $1 and campaign_id <> ''
)
delete from campaign where campaign_id = $1

-- name: begin_deletion
-- $1 campaign, locked; $2, $3 who asked for it, of which role
update campaign set work = 'delete', turn = turn + 1, deleted_by = $2, deleted_by_role = $3
where campaign_id = $1

-- name: list_jobs_to_delete
-- Lists jobs of campaign $1 after member $2, with who asked for the deletion; pinned ones stay.
select j.job_id, j.member, c.deleted_by, c.deleted_by_role
from campaign c join job j on j.campaign_id = c.campaign_id
where c.campaign_id = $1 and j.campaign_id <> '' and j.member > $2
  and not exists (select from dataset d where d.job_id = j.job_id and d.pinned)
order by j.member
limit 1000

-- name: find_pinned_of_campaign
select d.job_id from dataset d join job j using (job_id)
where j.campaign_id = $1 and j.campaign_id <> '' and d.pinned
order by j.member limit 1

-- name: find_deleter
select deleted_by, deleted_by_role from campaign where campaign_id = $1

-- name: list_active_jobs_of_campaign
-- With those that ended as their cancel began: one keeps its owner's tasks from all workers until it
-- is looked at again.
select job_id from job
where campaign_id = $1 and campaign_id <> ''
  and (state = 'active' or exists (select from job_cancelling c where c.job_id = job.job_id))
order by member

-- name: list_keys_of_campaign
-- Live items of its jobs: what is needed comes after what needs it.
select distinct i.content_key, i.level
from job j join job_item i on i.job_id = j.job_id and i.state = 'live'
where j.campaign_id = $1 and j.campaign_id <> '' and j.state = 'active'
order by i.level desc, i.content_key

-- name: insert_members
-- $1 campaign, $5: place of the first
insert into campaign_member (campaign_id, ordinal, label, value_list, spec)
select $1, $5::bigint + position - 1, label, value_list, spec
from unnest($2::text[], $3::text[], $4::text[]) with ordinality
     as member (label, value_list, spec, position)

-- name: find_members_labelled
-- $1 campaign, $2 labels, $3 specifications: labels that are there, and whether it is the same
select m.label, m.spec = k.spec
from unnest($2::text[], $3::text[]) as k (label, spec)
join campaign_member m on m.campaign_id = $1 and m.label = k.label

-- name: list_members
-- $1 campaign, $2 from which ordinal on, $3 state or nothing, $4 how many. With each: what its last
-- item gave, and the first error.
select m.ordinal, m.label, m.value_list, s.state, m.job_id,
       case when m.error <> '' or s.state <> 'failed' then m.error
            else coalesce((select i.error from job_item i
                           where i.job_id = m.job_id and i.state = 'failed'
                           order by i.ordinal limit 1), '') end,
       coalesce(j.n_total, 0), coalesce(j.n_cancelled, 0), coalesce(j.n_live, 0),
       coalesce(j.n_sources, 0), coalesce(j.n_sources_done, 0), coalesce(j.n_sources_failed, 0),
       coalesce(j.n_sources_reused, 0), coalesce(j.name, ''), coalesce(j.state, ''),
       coalesce(extract(epoch from j.ended_at), 0),
       coalesce(last.sha256, ''), coalesce(last.bytes, 0), coalesce(last.n_missing, 0)
from campaign_member m
left join job j on j.job_id = m.job_id
left join job_item last on last.job_id = j.job_id and last.ordinal = j.n_total - 1
                           and last.state = 'done'
cross join lateral (select case when m.state = 'submitted' then j.state else m.state end as state) s
where m.campaign_id = $1 and m.ordinal >= $2 and ($3 = '' or s.state = $3)
order by m.ordinal
limit $4

-- name: list_waiting_members
select ordinal, round, label, spec, job_id
from campaign_member
where campaign_id = $1 and state = 'waiting' and ordinal >= $2
order by ordinal
limit $3

-- name: count_members
select coalesce(max(ordinal), -1) + 1 from campaign_member where campaign_id = $1

-- name: link_member
-- $3 job of a member that waits for one
update campaign_member set state = 'submitted', job_id = $3, error = ''
where campaign_id = $1 and ordinal = $2 and state = 'waiting' and job_id = ''
returning 1

-- name: end_wait
update campaign_member
set state = case when $4 = '' then 'submitted' else 'refused' end, error = $4
where campaign_id = $1 and ordinal = $2 and round = $3 and state = 'waiting'
  and ($4 <> '' or job_id <> '')

-- name: retry_members
update campaign_member m
set state = 'waiting', round = round + 1, error = ''
from (select k.ordinal from campaign_member k left join job j on j.job_id = k.job_id
      where k.campaign_id = $1
        and case when k.state = 'submitted' then j.state else k.state end
            in ('failed', 'cancelled', 'refused')) w
where m.campaign_id = $1 and m.ordinal = w.ordinal
returning 1

-- name: cancel_waiting_members
-- One whose job was to be tried again is as that.
update campaign_member
set state = case when job_id = '' then 'cancelled' else 'submitted' end
where campaign_id = $1 and state = 'waiting'

-- name: forget_member_job
-- $1 job that is being deleted, $2 what its member says
update campaign_member m
set state = j.state, job_id = '', error = case when j.state = 'done' then '' else $2 end
from job j
where j.job_id = $1 and m.campaign_id = j.campaign_id and m.ordinal = j.member and m.job_id = $1

-- name: insert_campaign_drive
insert into campaign_drive (campaign_id) values ($1)

-- name: lock_drive
select 1 from campaign_drive where campaign_id = $1 for no key update

-- name: take_campaigns
-- $1 driver, $2 seconds
with due as (
    select d.campaign_id from campaign_drive d join campaign c using (campaign_id)
    where (c.state = 'active' or c.work <> '')
      and (d.driver_id = $1 or d.until <= store_now()
           or d.until > store_now() + interval '1 hour')  -- the clock was set back
    order by c.position
    for update of d skip locked
), taken as (
    update campaign_drive d
    set driver_id = $1, until = store_now() + $2::float8 * interval '1 second'
    from due where d.campaign_id = due.campaign_id
    returning d.campaign_id
)
select campaign_id from taken

-- name: set_reason
update campaign_drive set reason = $2 where campaign_id = $1 and reason <> $2

-- name: leave_campaigns
update campaign_drive set until = '-infinity' where driver_id = $1
