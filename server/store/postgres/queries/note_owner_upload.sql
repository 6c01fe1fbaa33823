-- SPDX-License-Identifier: BSD-3-Clause
insert into owner_upload (owner, sha256, bytes) values ($1, $2, $3)
on conflict (owner, sha256) do update set put_at = store_now()
