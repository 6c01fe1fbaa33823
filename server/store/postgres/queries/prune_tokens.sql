-- SPDX-License-Identifier: BSD-3-Clause
-- Those that were one agent's; others stay, so that what was revoked does not come back.
delete from token
where ctid = any (array(
    select ctid from token
    where single and revoked_at is not null
      and revoked_at < store_now() - $1::float8 * interval '1 second'
    order by revoked_at limit $2))
returning 1
