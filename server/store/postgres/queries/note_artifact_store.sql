-- SPDX-License-Identifier: BSD-3-Clause
-- The first one is kept; its place follows it.
insert into artifact_store (store_id, place) values ($1, $2)
on conflict (one) do update set place = excluded.place
where artifact_store.store_id = excluded.store_id
