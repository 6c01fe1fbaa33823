-- SPDX-License-Identifier: BSD-3-Clause
-- Of tasks that have ended; $1 is of no account here.
delete from task_file
where ctid = any (array(
    select ctid from task_file f
    where $1::float8 >= 0 and not exists (select from task t where t.content_key = f.content_key)
    limit $2))
returning 1
