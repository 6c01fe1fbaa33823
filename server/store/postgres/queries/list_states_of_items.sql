-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job, locked, so that they stay as they are; $2 items
select i.ordinal, i.state, i.error
from unnest($2::bigint[]) as asked (ordinal)
join job_item i on i.job_id = $1 and i.ordinal = asked.ordinal
