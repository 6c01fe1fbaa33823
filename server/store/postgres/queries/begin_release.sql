-- SPDX-License-Identifier: BSD-3-Clause
insert into release_pending (content_key) select unnest($1::text[])
on conflict do nothing
