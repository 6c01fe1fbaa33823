-- SPDX-License-Identifier: BSD-3-Clause
-- A worker registers, lives by its heartbeats, drains, leaves or is lost. A dispatch is the start of an
-- agent by a launcher.

-- name: register_worker
-- $8: its token. A worker of an earlier version has none yet. One that left may come back.
insert into worker (worker_id, name, gpu_uuids, host, version, ranks, threads, token_id)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (worker_id) do update
set name = excluded.name, gpu_uuids = excluded.gpu_uuids, host = excluded.host,
    version = excluded.version, ranks = excluded.ranks, threads = excluded.threads,
    token_id = excluded.token_id, heartbeat_at = store_now(), lost = false, gone = false,
    draining = worker.draining and not worker.gone
where (not worker.lost or worker.gone) and worker.token_id in ('', excluded.token_id)
returning 1

-- name: bind_worker
-- A worker of an earlier version, at its first call under this one.
update worker set token_id = $2
where worker_id = $1 and token_id = ''

-- name: look_at_worker
-- $1 worker, $2 claim, $3 seconds after which its sign of life is worth a write. Locked, so that
-- it is not declared lost meanwhile, and that one worker's claims follow one another.
select w.draining or exists (select from drain d
                             where (d.kind = 'host' and d.value = w.host)
                                or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))),
       coalesce((select cordon_text(c) from cordon c
                 where (c.kind = 'gpu' and c.value = any (w.gpu_uuids) and one_tenure(c.token_id, w.token_id))
                    or (c.kind = 'host' and c.value = w.host)
                    or (c.kind = 'worker' and c.value = w.worker_id)
                 order by c.kind, c.value limit 1), ''),
       w.heartbeat_at < store_now() - $3::float8 * interval '1 second',
       exists (select 1 from claim_answer a where a.claim_id = $2),
       w.token_id, array_to_string(w.pools, ',')
from worker w
where w.worker_id = $1 and not w.lost
for no key update of w

-- name: find_worker_that_lives
select 1 from worker where worker_id = $1 and not lost

-- name: find_live_worker
-- $1 token, $2 worker; empty: any of the token's
select 1 from worker
where token_id = $1 and ($2 = '' or worker_id = $2) and not lost
limit 1

-- name: find_live_worker_of_token
select worker_id from worker
where token_id = $1 and worker_id <> $2 and not lost
limit 1

-- name: count_live_workers
-- $1 token, locked; but for worker $2
select count(*) from worker where token_id = $1 and not lost and worker_id <> $2

-- name: find_worker_token
select token_id, array_to_string(gpu_uuids, ','), lost
from worker
where worker_id = $1

-- name: find_gpu_of_another
-- $1 GPUs, $2 token that registers them. Agents of one server share its GPUs; one whose token has
-- ended has gone.
select w.worker_id, (select min(g) from unnest(w.gpu_uuids) as g where g = any ($1::text[]))
from worker w left join token t on t.token_id = w.token_id
where not w.lost and w.gpu_uuids && $1::text[] and w.token_id not in ('', $2)
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > store_now())
  and not exists (select from token mine
                  where mine.token_id = $2 and mine.place <> '' and mine.place = t.place)
limit 1

-- name: list_workers
-- $1: of each token at most so many that ended.
select w.worker_id, w.name, array_to_string(w.gpu_uuids, ','), w.host, w.version, w.ranks,
       w.threads, w.lost, w.draining, extract(epoch from store_now() - w.heartbeat_at),
       (select count(*) from task t where t.worker_id = w.worker_id and t.state = 'running'),
       coalesce((select cordon_text(c) from cordon c
                 where (c.kind = 'gpu' and c.value = any (w.gpu_uuids) and one_tenure(c.token_id, w.token_id))
                    or (c.kind = 'host' and c.value = w.host)
                    or (c.kind = 'worker' and c.value = w.worker_id)
                 order by c.kind, c.value limit 1), ''),
       w.gone,
       coalesce((select d.kind || ' ' || d.value || case d.reason when '' then '' else ': ' || d.reason end
                 from drain d
                 where (d.kind = 'host' and d.value = w.host)
                    or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))
                 order by d.kind desc, d.value limit 1),
                case when w.draining and w.drain_reason <> '' then w.drain_reason else '' end)
from worker w
where not w.lost
   or w.worker_id = any (array(
       select worker_id
       from (select worker_id, row_number() over (partition by token_id
                                                  order by heartbeat_at desc, worker_id) as place
             from worker where lost and heartbeat_at > store_now() - interval '1 hour') ended
       where place <= $1))
order by w.registered_at desc, w.worker_id

-- name: lock_gpus
-- Registrations of GPUs follow one another, until the transaction ends.
select pg_advisory_xact_lock(7303731)

-- name: note_pools
-- $1 worker, $2 pools from which it claims now.
update worker set pools = $2 where worker_id = $1

-- name: touch_worker
update worker w set heartbeat_at = store_now()
where w.worker_id = $1 and not w.lost
returning w.draining or exists (select from drain d
                               where (d.kind = 'host' and d.value = w.host)
                                  or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))),
          coalesce((select cordon_text(c) from cordon c
                    where (c.kind = 'gpu' and c.value = any (w.gpu_uuids) and one_tenure(c.token_id, w.token_id))
                       or (c.kind = 'host' and c.value = w.host)
                       or (c.kind = 'worker' and c.value = w.worker_id)
                    order by c.kind, c.value limit 1), '')

-- name: end_future_signs
update worker
set heartbeat_at = store_now()
where not lost and heartbeat_at > store_now()
returning 1

-- name: drain_worker
-- $1 worker, $2 draining, $3 why; empty: as it was
update worker
set draining = $2, drain_reason = case when not $2::boolean then '' when $3 <> '' then $3 else drain_reason end
where worker_id = $1 and not lost
returning 1

-- name: lose_workers
update worker set lost = true
where not lost and heartbeat_at < store_now() - ($1::float8 * interval '1 second')
returning 1

-- name: remove_worker
-- Lost to all that would speak for it; shown as one that left.
update worker w set lost = true, gone = true, heartbeat_at = store_now()
where w.worker_id = $1 and not w.lost
  and not exists (select from task t where t.worker_id = w.worker_id and t.state = 'running')

-- name: prune_workers
with gone as (
    delete from worker
    where ctid = any (array(
        select ctid from worker w
        where lost and heartbeat_at < store_now() - $1::float8 * interval '1 second'
          and not exists (select 1 from task t where t.worker_id = w.worker_id and t.state = 'running')
        order by heartbeat_at limit $2))
    returning worker_id
), lifted as (
    delete from cordon c using gone g where c.kind = 'worker' and c.value = g.worker_id
)
select 1 from gone

-- name: insert_dispatch
insert into dispatch (dispatch_id, place, pool)
values ($1, $2, $3)
on conflict do nothing
returning 1

-- name: list_dispatches
-- $1 place or empty, $2 seconds
select dispatch_id, place, pool, native_id, state, reason, coalesce(exit_code::text, ''),
       extract(epoch from intended_at), coalesce(extract(epoch from ended_at), 0)
from dispatch
where ($1 = '' or place = $1)
  and (state <> 'ended' or ended_at > store_now() - interval '1 second' * $2::float8)
order by intended_at, dispatch_id

-- name: change_dispatch
-- $2 native id, $3 state, $4 reason, $5 exit code or empty
update dispatch
set native_id = $2, state = $3, reason = $4, exit_code = nullif($5, '')::integer,
    changed_at = store_now(), ended_at = case when $3 = 'ended' then store_now() end
where dispatch_id = $1 and state <> 'ended'
returning 1

-- name: forget_dispatches
delete from dispatch
where state = 'ended' and ended_at <= store_now() - interval '1 second' * $1::float8
returning 1
