-- SPDX-License-Identifier: BSD-3-Clause
-- $1 seconds since the last begin. One server gets the row.
update upkeep set begun_at = store_now()
where begun_at <= store_now() - $1::float8 * interval '1 second'
returning 1
