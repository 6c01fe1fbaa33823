-- SPDX-License-Identifier: BSD-3-Clause
update job_item
set state = $2, error = $3, sha256 = $4, bytes = $5
where content_key = any ($1::text[]) and state = 'live'
returning job_id, ordinal, kind
