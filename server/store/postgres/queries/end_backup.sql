-- SPDX-License-Identifier: BSD-3-Clause
-- $1 id, $2 state, $3 files, $4 bytes, $5 bytes of the database's dump, $6 error
update backup
set state = $2, files = $3, bytes = $4, database_bytes = $5, error = $6, ended_at = store_now()
where backup_id = $1
