-- SPDX-License-Identifier: BSD-3-Clause
-- Live items of its jobs: what is needed comes after what needs it.
select distinct i.content_key, i.level
from job j join job_item i on i.job_id = j.job_id and i.state = 'live'
where j.campaign_id = $1 and j.campaign_id <> '' and j.state = 'active'
order by i.level desc, i.content_key
