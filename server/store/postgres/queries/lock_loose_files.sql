-- SPDX-License-Identifier: BSD-3-Clause
-- $1 files and $2 for how many seconds nothing must have referred to each. What somebody is about
-- to name is locked, and left out.
select l.sha256
from loose_file l
join unnest($1::text[], $2::float8[]) as f (sha256, least_s) on f.sha256 = l.sha256
where l.since <= store_now() - f.least_s * interval '1 second'
order by l.sha256
for update of l skip locked
