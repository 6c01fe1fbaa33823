-- SPDX-License-Identifier: BSD-3-Clause
select count(*) from task where campaign_id = $1 and campaign_id <> ''
