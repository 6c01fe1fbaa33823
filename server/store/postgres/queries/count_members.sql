-- SPDX-License-Identifier: BSD-3-Clause
select coalesce(max(ordinal), -1) + 1 from campaign_member where campaign_id = $1
