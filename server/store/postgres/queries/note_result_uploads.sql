-- SPDX-License-Identifier: BSD-3-Clause
-- $1 token, $2 files. Rows of two days ago are of no use: whoever put the file has said so, or is gone.
with old as (
    delete from result_upload where put_at < store_now() - interval '2 days'
), put as materialized (
    select distinct sha256 from unnest($2::text[]) as f (sha256)
), kept as (
    insert into loose_file (sha256) select sha256 from put order by sha256
    on conflict (sha256) do update set since = excluded.since
)
insert into result_upload (token_id, sha256) select $1, sha256 from put order by sha256
on conflict (token_id, sha256) do update set put_at = excluded.put_at
