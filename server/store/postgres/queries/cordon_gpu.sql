-- SPDX-License-Identifier: BSD-3-Clause
-- $1 GPU, $2 why, $3 the worker whose faults it were
insert into cordon (kind, value, host, reason)
select 'gpu', $1, coalesce((select w.host from worker w where w.worker_id = $3), ''), $2
on conflict do nothing
returning 1
