-- SPDX-License-Identifier: BSD-3-Clause
-- What the retry of job $1 has not come to stays as it is.
update job_planting set reviving = false where job_id = $1 and reviving returning 1
