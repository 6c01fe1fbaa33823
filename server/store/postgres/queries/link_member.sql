-- SPDX-License-Identifier: BSD-3-Clause
-- $3 job of a member that waits for one
update campaign_member set state = 'submitted', job_id = $3, error = ''
where campaign_id = $1 and ordinal = $2 and state = 'waiting' and job_id = ''
returning 1
