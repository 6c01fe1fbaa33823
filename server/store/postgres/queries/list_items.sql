-- SPDX-License-Identifier: BSD-3-Clause
select ordinal, content_key, verb, state, label, error, reused, sha256, bytes, n_missing, source
from job_item
where job_id = $1 and ordinal >= $2
order by ordinal
limit $3
