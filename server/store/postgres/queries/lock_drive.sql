-- SPDX-License-Identifier: BSD-3-Clause
select 1 from campaign_drive where campaign_id = $1 for no key update
