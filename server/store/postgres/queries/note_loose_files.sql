-- SPDX-License-Identifier: BSD-3-Clause
-- $1 files. Of those to which nothing refers: for how long that has been known, in seconds, and
-- whether it is a result that could be reused. Rows of files in use go.
with judged as materialized (
    select file as sha256, file_in_use(file) as used
    from (select distinct unnest($1::text[]) as file) f
), used_again as (
    delete from loose_file
    where sha256 in (select l.sha256 from loose_file l join judged j on j.sha256 = l.sha256
                     where j.used for update of l skip locked)
), fresh as (
    insert into loose_file (sha256) select sha256 from judged where not used order by sha256
    on conflict do nothing
)
select j.sha256, coalesce(extract(epoch from store_now() - l.since), 0),
       exists (select from artifact a where a.sha256 = j.sha256)
from judged j left join loose_file l on l.sha256 = j.sha256
where not j.used
order by j.sha256
