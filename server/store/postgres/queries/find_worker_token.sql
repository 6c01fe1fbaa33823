-- SPDX-License-Identifier: BSD-3-Clause
select token_id, array_to_string(gpu_uuids, ','), lost
from worker
where worker_id = $1
