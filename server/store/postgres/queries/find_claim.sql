-- SPDX-License-Identifier: BSD-3-Clause
select worker_id, task_id, fence, attempt, kind, content_key, compat_key, owner, label, payload
from claimed
where claim_id = $1
order by position
