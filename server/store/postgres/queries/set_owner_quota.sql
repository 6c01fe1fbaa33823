-- SPDX-License-Identifier: BSD-3-Clause
insert into owner_quota (owner, queued, running, bytes, weight)
values ($1, nullif($2::bigint, -1), nullif($3::bigint, -1), nullif($4::bigint, -1), $5)
on conflict (owner) do update
set queued = excluded.queued, running = excluded.running, bytes = excluded.bytes,
    weight = excluded.weight
