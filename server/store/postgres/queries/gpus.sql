-- SPDX-License-Identifier: BSD-3-Clause
-- A GPU with too many faults is cordoned; operators cordon and drain GPUs and hosts.

-- name: insert_gpu_fault
insert into gpu_fault (fault_id, gpu_uuid, worker_id, reason) values ($1, $2, $3, $4)
on conflict do nothing

-- name: count_gpu_faults
-- $1 GPUs, $2 seconds that a fault is remembered, $3 faults that are too many, $4 the worker that
-- tells of them: those of another tenure are of no account.
select f.gpu_uuid, count(*), (array_agg(f.reason order by f.told_at desc, f.fault_id desc))[1]
from gpu_fault f
left join worker teller on teller.worker_id = f.worker_id
where f.gpu_uuid = any ($1::text[])
  and f.told_at > store_now() - ($2::float8 * interval '1 second')
  and one_tenure(coalesce(teller.token_id, ''),
                 (select w.token_id from worker w where w.worker_id = $4))
group by f.gpu_uuid
having count(*) >= $3

-- name: list_gpu_faults
-- $1 GPUs; newest first, at most 20 of each
select g.gpu_uuid, extract(epoch from f.told_at), f.reason
from unnest($1::text[]) as g (gpu_uuid)
cross join lateral (select told_at, reason from gpu_fault
                    where gpu_uuid = g.gpu_uuid
                    order by told_at desc limit 20) f

-- name: forget_gpu_faults
delete from gpu_fault
where told_at <= store_now() - ($1::float8 * interval '1 second')

-- name: prune_gpu_faults
delete from gpu_fault
where ctid = any (array(
    select ctid from gpu_fault where told_at < store_now() - $1::float8 * interval '1 second'
    order by told_at limit $2))
returning 1

-- name: cordon_gpu
-- $1 GPU, $2 why, $3 the worker whose faults it were: it takes the place of what holds for another
-- tenure.
insert into cordon (kind, value, host, reason, token_id)
select 'gpu', $1, w.host, $2, w.token_id from worker w where w.worker_id = $3
on conflict (kind, value) do update
set host = excluded.host, reason = excluded.reason, since = store_now(),
    token_id = excluded.token_id
where cordon.set_by = '' and not one_tenure(cordon.token_id, excluded.token_id)
returning 1

-- name: begin_cordon
-- $1 kind, $2 value, $3 reason, $4 by whom. What faults cordoned stays so until it is
-- lifted, and holds for all from now on.
insert into cordon (kind, value, host, reason, set_by)
values ($1, $2,
        case $1 when 'host' then $2
                when 'worker' then ''
                else coalesce((select w.host from worker w where $2 = any (w.gpu_uuids)
                               order by w.registered_at desc limit 1), '') end,
        $3, $4)
on conflict (kind, value) do update
set reason = case when cordon.set_by = '' then cordon.reason else excluded.reason end,
    set_by = case when cordon.set_by = '' then '' else excluded.set_by end, token_id = ''

-- name: list_cordons
-- Lists all cordons; those of workers count while they live.
select c.kind, c.value, c.host, c.reason, extract(epoch from c.since), c.set_by,
       c.token_id <> ''
       and coalesce((select t.place from token t where t.token_id = c.token_id), '') = ''
from cordon c
where c.kind <> 'worker'
   or exists (select from worker w where w.worker_id = c.value and not w.lost)
order by c.kind, c.value

-- name: uncordon_gpu
with faults as (
    delete from gpu_fault where gpu_uuid = $1
)
delete from cordon where kind = 'gpu' and value = $1
returning 1

-- name: end_cordon
-- $1 kind, $2 value. A worker begins anew.
with again as (
    update worker set others_did = 0 where $1 = 'worker' and worker_id = $2
)
delete from cordon where kind = $1 and value = $2
returning 1

-- name: begin_drain
-- $1 kind, $2 value, $3 reason, $4 by whom
insert into drain (kind, value, host, reason, set_by)
values ($1, $2,
        case $1 when 'host' then $2
                else coalesce((select w.host from worker w where $2 = any (w.gpu_uuids)
                               order by w.registered_at desc limit 1), '') end,
        $3, $4)
on conflict (kind, value) do update set reason = excluded.reason, set_by = excluded.set_by
where excluded.reason <> ''

-- name: note_drain_host
-- $1 GPUs that a worker registers, $2 its host
with cordoned as (
    update cordon set host = $2
    where kind = 'gpu' and value = any ($1::text[]) and host <> $2
)
update drain set host = $2
where kind = 'gpu' and value = any ($1::text[]) and host <> $2

-- name: list_drains
select kind, value, host, reason, extract(epoch from since), set_by
from drain
order by kind desc, value

-- name: end_drain
delete from drain where kind = $1 and value = $2
returning 1
