-- SPDX-License-Identifier: BSD-3-Clause
-- $2 at most: a long queue is not counted to its end
select count(*) from (
    select 1 from task where state = 'ready' and pool = $1 and run_at <= store_now() limit $2
) ready
