-- SPDX-License-Identifier: BSD-3-Clause
update campaign
set tasks_at_once = $2, hours = $3, bytes = $4, turn = turn + 1,
    work = case when state <> 'active' or tasks_at_once = $2::bigint then work
                when $2::bigint = 0 then 'lift' else 'hold' end
where campaign_id = $1
returning work, turn
