-- SPDX-License-Identifier: BSD-3-Clause
update dataset
set described = true, physics = $2, faults = $3, structure_sha256 = $4, stations = $5,
    n_stations = cardinality($5::text[]), place = nullif($6, '')::box
where job_id = $1 and not described
