-- SPDX-License-Identifier: BSD-3-Clause
-- Rows of two days ago are of no use: whoever put the file has said so, or is gone.
with old as (
    delete from result_upload where put_at < store_now() - interval '2 days'
), kept as (
    insert into loose_file (sha256) values ($2)
    on conflict (sha256) do update set since = excluded.since
)
insert into result_upload (token_id, sha256) values ($1, $2)
on conflict (token_id, sha256) do update set put_at = excluded.put_at
