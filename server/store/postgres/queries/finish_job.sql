-- SPDX-License-Identifier: BSD-3-Clause
update job
set state = case when n_cancelled > 0 then 'cancelled' when n_failed > 0 then 'failed'
                 else 'done' end, ended_at = store_now()
where job_id = $1 and state = 'active' and n_live = 0
returning state
