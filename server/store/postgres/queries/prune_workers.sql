-- SPDX-License-Identifier: BSD-3-Clause
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
