-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job; $2 to $7 as revive_items tells them.
update job
set n_failed = n_failed - $2, n_cancelled = n_cancelled - $3, n_done = n_done - $4,
    n_live = n_live + $2 + $3 + $4, n_sources_failed = n_sources_failed - $5,
    n_sources_done = n_sources_done - $6, n_sources_reused = n_sources_reused - $7
where job_id = $1
