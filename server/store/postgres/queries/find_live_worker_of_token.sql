-- SPDX-License-Identifier: BSD-3-Clause
select worker_id from worker
where token_id = $1 and worker_id <> $2 and not lost
limit 1
