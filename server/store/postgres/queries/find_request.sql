-- SPDX-License-Identifier: BSD-3-Clause
select body_sha256, job_id, n_created, n_joined, n_cached
from request
where principal = $1 and request_id = $2
