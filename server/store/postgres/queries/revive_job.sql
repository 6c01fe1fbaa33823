-- SPDX-License-Identifier: BSD-3-Clause
update job set state = 'active', ended_at = null where job_id = $1 and state <> 'active'
