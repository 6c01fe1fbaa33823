-- SPDX-License-Identifier: BSD-3-Clause
update job_item
set state = 'live', error = '', sha256 = '', bytes = 0, reused = false
where job_id = $1 and (state in ('failed', 'cancelled') or kind = 'package')
returning 1
