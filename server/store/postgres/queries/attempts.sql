-- SPDX-License-Identifier: BSD-3-Clause
-- An attempt is the work of one worker on one task: it goes on until it completes, fails, is returned
-- or is lost.

-- name: judge_held
select h.task_id,
       case when t.task_id is not null then 'held'
            when d.state = 'cancelled' then 'cancelled'
            when a.outcome = 'done' then 'done'
            else 'lost' end
from unnest($2::bigint[], $3::bigint[]) as h (task_id, fence)
left join task t on t.task_id = h.task_id and t.fence = h.fence and t.worker_id = $1
                    and t.state = 'running'
left join task_done d on d.task_id = h.task_id
left join attempt a on a.task_id = h.task_id and a.fence = h.fence and a.worker_id = $1

-- name: count_absent
-- Writes only where something changes: most heartbeats touch no task.
update task t
set absent = case when listed.held then 0 else t.absent + 1 end
from (select r.task_id, exists (select 1 from unnest($2::bigint[], $3::bigint[]) as h (task_id, fence)
                                where h.task_id = r.task_id and h.fence = r.fence) as held
      from task r where r.worker_id = $1 and r.state = 'running') listed
where t.task_id = listed.task_id and t.worker_id = $1 and t.state = 'running'
  and (not listed.held or t.absent > 0)

-- name: complete_tasks
-- $1 workers, $2 tasks, $3 fences, $4 hashes, $5 bytes, $6 files: one completion each, in the order
-- in which they came; $7 tasks in a row that failed with a worker and others did, for which it is
-- cordoned with reason $8. All tasks are locked in the common order; those that gather are only told of,
-- for they are judged first. Told of each that ended: its place among the completions. Each step
-- joins by a primary key alone, so that no plan goes through all tasks of a worker for each of them.
with told as materialized (
    select distinct on (task_id, fence, worker_id) *
    from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])
         with ordinality as c (worker_id, task_id, fence, sha256, bytes, uri, position)
    order by task_id, fence, worker_id, position
), locked as materialized (
    select t.task_id, t.gathers, t.content_key, t.began_at, t.failed_by, c.worker_id, c.fence, c.sha256, c.bytes,
           c.uri, c.position,
           t.fence = c.fence and t.worker_id = c.worker_id and t.state = 'running' as mine
    from told c join task t on t.task_id = c.task_id
    order by t.level, t.content_key
    for update of t
), ended as materialized (
    select * from locked where mine and not gathers
), gone as (
    delete from task t using ended e where t.task_id = e.task_id
), result as (
    insert into artifact (content_key, sha256, bytes, uri)
    select content_key, sha256, bytes, uri from ended
    on conflict do nothing
), noted as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, sha256)
    select task_id, fence, worker_id, began_at, 'done', sha256 from ended
), done as (
    insert into task_done (task_id, content_key, state)
    select task_id, content_key, 'done' from ended
), judged as (
    select worker_id, 0 as failed, true as did from ended
    union all
    select failed_by, 1, false from ended where failed_by not in ('', worker_id)
), marked as (
    update worker w
    set others_did = case when j.did then 0 else w.others_did + j.failed end
    from (select worker_id, sum(failed)::integer as failed, bool_or(did) as did
          from judged group by worker_id) j
    where w.worker_id = j.worker_id and (not j.did or w.others_did > 0)
    returning w.worker_id, w.others_did
), aside as (
    insert into cordon (kind, value, reason)
    select 'worker', worker_id, $8 from marked where others_did >= $7
    on conflict do nothing
)
select task_id, content_key, gathers, position from locked where gathers or mine

-- name: find_running_gatherer
select content_key, cardinality(missing)
from task
where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running' and gathers

-- name: judge_gatherer
-- For each job that wants the result $1: whether it has, or will have, something that task $2 was
-- claimed without, and whether the result of one that it had is gone. A job that is being retried will
-- have whatever it lacks.
select p.job_id,
       bool_or(s.state = 'live' or (s.state = 'done' and a.content_key is not null)
               or r.job_id is not null),
       bool_or(s.state = 'done' and a.content_key is null and r.job_id is null)
from task t
cross join lateral unnest(t.missing) as m (content_key)
join job_item p on p.content_key = $1 and p.state = 'live'
join job_item s on s.job_id = p.job_id and s.content_key = m.content_key
left join artifact a on a.content_key = m.content_key
left join job_planting r on r.job_id = p.job_id and r.reviving
where t.task_id = $2
group by p.job_id

-- name: complete_gatherer
with ended as (
    delete from task
    where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
    returning task_id, content_key, fence, worker_id, began_at
), result as (
    insert into artifact (content_key, sha256, bytes, uri)
    select content_key, $4, $5, $6 from ended where not $7::boolean
    on conflict do nothing
), told as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, sha256)
    select task_id, fence, worker_id, began_at, 'done', $4 from ended
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'done' from ended
returning content_key

-- name: requeue_gatherer
-- Its file was right for some of the jobs that joined it, not for all.
with again as (
    update task
    set state = 'ready', worker_id = null, attempt = 0, crash_count = 0, refunds = 0, cut_off = 0,
        missing = '{}', run_at = store_now()
    where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
    returning task_id, content_key, fence, began_at
), told as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, sha256)
    select task_id, fence, $3, began_at, 'done', $4 from again
)
select content_key from again

-- name: retry_task
update task
set state = 'ready', worker_id = null, crash_count = $3,
    run_at = store_now() + ($2::float8 * interval '1 second')
where task_id = $1

-- name: note_failed_by
-- $1 task, $2 the worker with which it failed
update task t set failed_by = w.worker_id, failed_token = w.token_id
from worker w
where t.task_id = $1 and w.worker_id = $2

-- name: note_cut_off
-- $1 task, locked; $2 the time limit that its worker has reached
update task set cut_off = cut_off + 1, cut_off_limit_s = $2 where task_id = $1

-- name: return_task
-- $1 task, locked; $2 whether the refund counts
update task
set state = 'ready', worker_id = null, attempt = attempt - 1, absent = 0,
    refunds = refunds + case when $2::boolean then 1 else 0 end
where task_id = $1 and state = 'running'

-- name: reap_tasks
-- One statement, so that the state is looked at again under the row's lock.
with reaped as (
    update task t
    set fence = t.fence + 1, worker_id = null, state = 'ready', crash_count = t.crash_count + 1,
        failed_by = w.worker_id, failed_token = w.token_id,
        run_at = store_now()
                 + interval '1 second' * least($2::float8, $1::float8 * power(2, t.attempt - 1))
                   * (1 + 0.25 * (t.task_id % 97) / 97.0)
    from worker w
    where t.worker_id = w.worker_id and w.lost and t.state = 'running'
    returning t.content_key, t.crash_count, t.task_id, t.fence - 1 as fence, w.worker_id, t.began_at,
              t.label, t.payload
), lost as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, error, label, payload)
    select task_id, fence, worker_id, began_at, 'lost', 'lost: no sign of life of its worker', label,
           payload
    from reaped
)
select content_key, crash_count from reaped

-- name: fail_tasks
with gone as (
    delete from task where content_key = any ($1::text[]) returning task_id, content_key
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'failed' from gone

-- name: end_attempt
-- $1 task, locked and with its worker, $2 fence, $3 outcome, $4 error
insert into attempt (task_id, fence, worker_id, started_at, outcome, error, label, payload)
select task_id, fence, worker_id, began_at, $3, $4, label, payload from task
where task_id = $1 and fence = $2 and state = 'running'

-- name: find_attempt
select outcome, sha256 from attempt where task_id = $1 and fence = $2 and worker_id = $3

-- name: list_failures
-- $1 how many: the newest attempts that failed, or whose worker was lost.
select extract(epoch from a.ended_at), a.task_id, a.label, coalesce(w.name, ''),
       coalesce(w.host, ''), a.error, a.payload
from (select * from attempt where outcome in ('failed', 'lost')
      order by ended_at desc limit $1::integer) a
left join worker w on w.worker_id = a.worker_id
order by a.ended_at desc, a.task_id desc

-- name: prune_attempts
delete from attempt
where ctid = any (array(
    select ctid from attempt
    where ended_at < store_now() - $1::float8 * interval '1 second'
    order by ended_at limit $2))
returning 1
