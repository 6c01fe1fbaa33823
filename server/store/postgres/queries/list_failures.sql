-- SPDX-License-Identifier: BSD-3-Clause
-- $1 how many: the newest attempts that failed, or whose worker was lost.
select extract(epoch from a.ended_at), a.task_id, a.label, coalesce(w.name, ''),
       coalesce(w.host, ''), a.error, a.payload
from (select * from attempt where outcome in ('failed', 'lost')
      order by ended_at desc limit $1::integer) a
left join worker w on w.worker_id = a.worker_id
order by a.ended_at desc, a.task_id desc
