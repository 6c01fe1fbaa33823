-- SPDX-License-Identifier: BSD-3-Clause
insert into campaign_file (campaign_id, sha256)
select distinct $1, file from unnest($2::text[]) as f (file)
on conflict do nothing
