-- SPDX-License-Identifier: BSD-3-Clause
delete from gpu_fault
where ctid = any (array(
    select ctid from gpu_fault where told_at < store_now() - $1::float8 * interval '1 second'
    order by told_at limit $2))
returning 1
