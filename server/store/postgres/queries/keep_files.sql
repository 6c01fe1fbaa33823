-- SPDX-License-Identifier: BSD-3-Clause
-- $1 files that are about to be named. Waits for a collector that is removing one; after this none
-- does before this transaction has ended.
insert into loose_file (sha256)
select distinct file from unnest($1::text[]) as f (file) order by file
on conflict (sha256) do update set since = excluded.since
