-- SPDX-License-Identifier: BSD-3-Clause
update token set revoked_at = store_now()
where name = $1 and place = $2 and revoked_at is null
