-- SPDX-License-Identifier: BSD-3-Clause
-- $1 files that lie among the checkpoints: those that nobody noted are unused ones from now on.
insert into checkpoint_file (sha256, whole)
select distinct file, true from unnest($1::text[]) as f (file) order by file
on conflict do nothing
