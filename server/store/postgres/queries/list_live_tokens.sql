-- SPDX-License-Identifier: BSD-3-Clause
select token_id, sha256, name, role, extract(epoch from expires_at - store_now())
from token
where revoked_at is null and coalesce(expires_at, 'infinity') > store_now()
