-- SPDX-License-Identifier: BSD-3-Clause
select backup_id, folder, host, state, artifacts, extract(epoch from started_at),
       coalesce(extract(epoch from ended_at), 0), files, bytes, database_bytes, error
from backup
order by started_at desc, backup_id
limit 100
