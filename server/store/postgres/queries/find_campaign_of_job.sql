-- SPDX-License-Identifier: BSD-3-Clause
select campaign_id from job where job_id = $1 and campaign_id <> ''
