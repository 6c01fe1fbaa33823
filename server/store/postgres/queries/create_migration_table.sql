-- SPDX-License-Identifier: BSD-3-Clause
create table if not exists schema_migration (
    name text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
)
