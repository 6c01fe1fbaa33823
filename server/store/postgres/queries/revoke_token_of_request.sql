-- SPDX-License-Identifier: BSD-3-Clause
update token set revoked_at = store_now()
where request = $1 and revoked_at is null
