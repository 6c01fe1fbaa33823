-- SPDX-License-Identifier: BSD-3-Clause
-- $1 id, $2 folder, $3 host, $4 what becomes of artifacts. Those that ended without a word have failed:
-- only one is made at a time.
with ended as (
    update backup set state = 'failed', ended_at = store_now(), error = 'it was broken off'
    where state = 'running'
)
insert into backup (backup_id, folder, host, artifacts) values ($1, $2, $3, $4)
