-- SPDX-License-Identifier: BSD-3-Clause
select token_id, name, role, place, single, extract(epoch from created_at),
       coalesce(extract(epoch from expires_at), 0), coalesce(extract(epoch from revoked_at), 0),
       coalesce(extract(epoch from used_at), 0), sha256
from token
where token_id = $1
