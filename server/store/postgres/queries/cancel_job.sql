-- SPDX-License-Identifier: BSD-3-Clause
update job set state = 'cancelled', ended_at = store_now()
where job_id = $1 and state = 'active'
