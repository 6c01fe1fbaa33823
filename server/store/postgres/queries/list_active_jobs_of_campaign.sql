-- SPDX-License-Identifier: BSD-3-Clause
select job_id from job
where campaign_id = $1 and campaign_id <> '' and state = 'active'
order by member
