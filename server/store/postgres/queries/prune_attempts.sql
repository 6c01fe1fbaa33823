-- SPDX-License-Identifier: BSD-3-Clause
delete from attempt
where ctid = any (array(
    select ctid from attempt
    where ended_at < store_now() - $1::float8 * interval '1 second'
    order by ended_at limit $2))
returning 1
