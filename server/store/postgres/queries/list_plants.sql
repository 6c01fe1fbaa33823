-- SPDX-License-Identifier: BSD-3-Clause
-- The live items of a job, first places first in each level.
select ordinal, content_key, level, array_to_string(needs, ','), array_to_string(gathers, ',')
from job_item
where job_id = $1 and state = 'live'
order by level, ordinal
