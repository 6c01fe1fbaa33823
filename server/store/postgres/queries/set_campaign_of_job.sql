-- SPDX-License-Identifier: BSD-3-Clause
update job set campaign_id = $2, member = $3 where job_id = $1
