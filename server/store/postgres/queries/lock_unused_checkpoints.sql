-- SPDX-License-Identifier: BSD-3-Clause
-- Files that no task names; $1 seconds in which one that was begun may become whole.
select f.sha256 from checkpoint_file f
where (f.whole or f.begun_at < store_now() - $1::float8 * interval '1 second')
  and not exists (select 1 from task t where t.checkpoint_sha256 = f.sha256)
order by f.sha256
for update skip locked
