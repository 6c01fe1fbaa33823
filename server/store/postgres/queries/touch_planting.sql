-- SPDX-License-Identifier: BSD-3-Clause
-- Nothing: another run has taken the job over, or has ended. Locked, so that runs follow each other.
-- Told: whether items are revived.
update job_planting set touched_at = store_now()
where job_id = $1 and run_id = $2
returning reviving
