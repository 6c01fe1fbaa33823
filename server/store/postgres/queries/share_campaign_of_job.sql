-- SPDX-License-Identifier: BSD-3-Clause
-- Likewise, of the campaign that a job is of.
select c.state from campaign c
where c.campaign_id = (select j.campaign_id from job j where j.job_id = $1 and j.campaign_id <> '')
for share
