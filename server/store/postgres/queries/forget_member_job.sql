-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job that is being deleted, $2 what its member says
update campaign_member m
set state = j.state, job_id = '', error = case when j.state = 'done' then '' else $2 end
from job j
where j.job_id = $1 and m.campaign_id = j.campaign_id and m.ordinal = j.member and m.job_id = $1
