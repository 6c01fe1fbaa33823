-- SPDX-License-Identifier: BSD-3-Clause
-- $1 run that takes over the jobs whose planter has been silent for $2 seconds.
update job_planting set run_id = $1, touched_at = store_now()
where touched_at < store_now() - $2::float8 * interval '1 second'
returning job_id
