-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job, locked; $2 items of it
update job_item i
set state = 'done', reused = true, sha256 = a.sha256, bytes = a.bytes
from unnest($2::bigint[]) as asked (ordinal), artifact a
where i.job_id = $1 and i.ordinal = asked.ordinal and i.state = 'live'
  and a.content_key = i.content_key
returning i.job_id, i.ordinal, i.source
