-- SPDX-License-Identifier: BSD-3-Clause
insert into job_planting (job_id, run_id, of_request) values ($1, $2, $3)
on conflict (job_id) do update
set run_id = excluded.run_id, of_request = excluded.of_request, begun_at = excluded.begun_at,
    touched_at = excluded.touched_at
