-- SPDX-License-Identifier: BSD-3-Clause
update job_item i
set state = 'live', error = '', sha256 = '', bytes = 0, reused = false, n_missing = 0
where job_id = $1
  and (state in ('failed', 'cancelled') or gathers <> '{}'
       or not exists (select 1 from artifact a where a.content_key = i.content_key))
returning 1
