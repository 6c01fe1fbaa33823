-- SPDX-License-Identifier: BSD-3-Clause
update job_item set state = 'cancelled'
where job_id = $1 and state = 'live'
returning job_id, ordinal, source
