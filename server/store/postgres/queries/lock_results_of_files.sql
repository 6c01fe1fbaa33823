-- SPDX-License-Identifier: BSD-3-Clause
select content_key from artifact
where sha256 = any ($1::text[])
order by content_key
for update skip locked
