-- SPDX-License-Identifier: BSD-3-Clause
-- $1 files, locked, and $2 keys of their results, locked: a result that is not among these is being
-- reused.
select f.sha256
from unnest($1::text[]) as f (sha256)
where not file_in_use(f.sha256)
  and not exists (select from artifact a
                  where a.sha256 = f.sha256 and a.content_key <> all ($2::text[]))
