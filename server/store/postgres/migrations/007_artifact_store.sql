-- SPDX-License-Identifier: BSD-3-Clause
-- The one folder in which the files of this database's results lie, by the UUID that it holds.
create table artifact_store (
    one boolean primary key default true check (one),
    store_id text not null,
    place text not null,
    noted_at timestamptz not null default store_now()
);
