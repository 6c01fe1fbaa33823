-- SPDX-License-Identifier: BSD-3-Clause
update campaign
set axes = $2, cost = $3, turn = turn + 1,
    state = case when state = 'paused' then 'paused' else 'active' end,
    ended_at = null
where campaign_id = $1
