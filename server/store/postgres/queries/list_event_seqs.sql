-- SPDX-License-Identifier: BSD-3-Clause
select k.position, j.event_seq
from unnest($1::text[]) with ordinality as k (job_id, position)
join job j on j.job_id = k.job_id
