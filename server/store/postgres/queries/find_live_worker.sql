-- SPDX-License-Identifier: BSD-3-Clause
-- $1 token, $2 worker; empty: any of the token's
select 1 from worker
where token_id = $1 and ($2 = '' or worker_id = $2) and not lost
limit 1
