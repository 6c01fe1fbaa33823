-- SPDX-License-Identifier: BSD-3-Clause
delete from dispatch
where state = 'ended' and ended_at <= store_now() - interval '1 second' * $1::float8
returning 1
