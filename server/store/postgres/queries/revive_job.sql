-- SPDX-License-Identifier: BSD-3-Clause
update job
set state = 'active', ended_at = null, n_done = c.done, n_failed = 0, n_cancelled = 0,
    n_live = c.live, n_sources_done = c.sources_done, n_sources_failed = 0,
    n_sources_reused = c.sources_reused
from (select count(*) filter (where state = 'done') as done,
             count(*) filter (where state = 'live') as live,
             count(*) filter (where state = 'done' and source) as sources_done,
             count(*) filter (where state = 'done' and source and reused) as sources_reused
      from job_item where job_id = $1) c
where job_id = $1
