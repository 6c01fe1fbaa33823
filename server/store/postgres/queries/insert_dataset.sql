-- SPDX-License-Identifier: BSD-3-Clause
-- $1 job, which is there; $2 physics, $3 faults, $4 structure, $5 stations, $6 place or nothing.
insert into dataset (job_id, position, owner, title, campaign_id, member, result, described,
                     n_sources, physics, faults, structure_sha256, stations, n_stations, place)
select job_id, position, owner, name, campaign_id, member, n_total - 1, true, n_sources, $2, $3, $4,
       $5, cardinality($5::text[]), nullif($6, '')::box
from job where job_id = $1
