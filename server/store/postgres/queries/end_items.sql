-- SPDX-License-Identifier: BSD-3-Clause
-- $6 jobs whose items stay as they are, or with $7 the only ones whose items end; $8 what a
-- gatherer's result lacks.
update job_item
set state = $2, error = $3, sha256 = $4, bytes = $5, n_missing = $8
where content_key = any ($1::text[]) and state = 'live'
  and (job_id = any ($6::text[])) = $7::boolean
returning job_id, ordinal, source
