-- SPDX-License-Identifier: BSD-3-Clause
-- All that are good, and what was revoked or expired within the last 30 days; newest first.
select token_id, name, role, place, single, extract(epoch from created_at),
       coalesce(extract(epoch from expires_at), 0), coalesce(extract(epoch from revoked_at), 0),
       coalesce(extract(epoch from used_at), 0), sha256
from token
where coalesce(least(revoked_at, expires_at), 'infinity') > store_now() - interval '30 days'
order by created_at desc, token_id
limit 10000
