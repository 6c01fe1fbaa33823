-- SPDX-License-Identifier: BSD-3-Clause
update request
set n_created = $3, n_joined = $4, n_cached = $5
where principal = $1 and request_id = $2
