-- SPDX-License-Identifier: BSD-3-Clause
select content_key, cardinality(missing)
from task
where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running' and gathers
