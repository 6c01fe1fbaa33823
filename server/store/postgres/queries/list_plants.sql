-- SPDX-License-Identifier: BSD-3-Clause
-- The live items of a job, in the order in which their tasks are locked.
select ordinal, content_key, level, array_to_string(needs, ','), array_to_string(gathers, ',')
from job_item
where job_id = $1 and state = 'live'
order by level, content_key, ordinal
