-- SPDX-License-Identifier: BSD-3-Clause
update token set used_at = store_now()
where token_id = any ($1::text[])
