-- SPDX-License-Identifier: BSD-3-Clause
select distinct owner from task
where state = 'ready' and pool = any ($1::text[]) and run_at <= store_now()
order by owner
