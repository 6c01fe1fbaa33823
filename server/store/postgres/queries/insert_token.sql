-- SPDX-License-Identifier: BSD-3-Clause
-- $6: seconds until it expires; 0: never. A hash that is known stays as it is, revoked or not.
insert into token (token_id, sha256, name, role, place, single, expires_at)
values ($1, $2, $3, $4, $5, $7,
        case when $6::float8 > 0 then store_now() + $6::float8 * interval '1 second' end)
on conflict do nothing
returning 1
