-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job; $2 tasks created, $3 joined, $4 results found; of a retry they are nobody's.
update request
set n_created = n_created + $2, n_joined = n_joined + $3, n_cached = n_cached + $4
where job_id = $1 and exists (select 1 from job_planting p where p.job_id = $1 and p.of_request)
