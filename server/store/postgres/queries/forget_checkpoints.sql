-- SPDX-License-Identifier: BSD-3-Clause
-- $2 files, locked: looked at again, since a task may have come to name one before it was.
delete from checkpoint_file f
where f.sha256 = any ($2::text[])
  and (f.whole or f.begun_at < store_now() - $1::float8 * interval '1 second')
  and not exists (select 1 from task t where t.checkpoint_sha256 = f.sha256)
returning f.sha256
