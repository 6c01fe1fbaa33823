-- SPDX-License-Identifier: BSD-3-Clause
-- One whose job was to be tried again is as that.
update campaign_member
set state = case when job_id = '' then 'cancelled' else 'submitted' end
where campaign_id = $1 and state = 'waiting'
