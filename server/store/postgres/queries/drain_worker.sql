-- SPDX-License-Identifier: BSD-3-Clause
-- $1 worker, $2 draining, $3 why; empty: as it was
update worker
set draining = $2, drain_reason = case when not $2::boolean then '' when $3 <> '' then $3 else drain_reason end
where worker_id = $1 and not lost
returning 1
