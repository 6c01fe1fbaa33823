-- SPDX-License-Identifier: BSD-3-Clause
delete from audit
where ctid = any (array(
    select ctid from audit where at < store_now() - $1::float8 * interval '1 second'
    order by at limit $2))
returning 1
