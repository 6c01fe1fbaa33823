-- SPDX-License-Identifier: BSD-3-Clause
select seq, type, ordinal, detail
from job_event
where job_id = $1 and seq > $2
order by seq
limit $3
