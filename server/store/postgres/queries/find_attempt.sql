-- SPDX-License-Identifier: BSD-3-Clause
select outcome, sha256 from attempt where task_id = $1 and fence = $2 and worker_id = $3
