-- SPDX-License-Identifier: BSD-3-Clause
-- $1 campaign, locked; $2 state, $3 what is to be done to its tasks
update campaign
set state = $2, work = $3, turn = turn + 1,
    ended_at = case when $2 in ('active', 'paused') then null else store_now() end
where campaign_id = $1
returning turn
