-- SPDX-License-Identifier: BSD-3-Clause
update job_item i
set state = 'done', reused = true, sha256 = a.sha256, bytes = a.bytes
from artifact a
where i.job_id = $1 and i.state = 'live' and a.content_key = i.content_key
returning i.job_id, i.ordinal, i.source
