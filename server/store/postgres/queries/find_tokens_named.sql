-- SPDX-License-Identifier: BSD-3-Clause
-- Those that can still be revoked.
select token_id
from token
where (token_id = $1 or name = $1) and revoked_at is null
order by token_id
for update
