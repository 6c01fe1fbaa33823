-- SPDX-License-Identifier: BSD-3-Clause
update worker set lost = true
where not lost and heartbeat_at < store_now() - ($1::float8 * interval '1 second')
returning 1
