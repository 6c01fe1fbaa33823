-- SPDX-License-Identifier: BSD-3-Clause
select ordinal, round, label, spec, job_id
from campaign_member
where campaign_id = $1 and state = 'waiting' and ordinal >= $2
order by ordinal
limit $3
