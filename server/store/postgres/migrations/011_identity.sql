-- SPDX-License-Identifier: BSD-3-Clause
-- Who may call. Tokens are known by their hash alone; whose they are, and until when they are good,
-- stands here, so that all servers of the database know the same.
create table token (
    token_id text primary key,       -- the first digits of the hash
    sha256 text not null unique,
    name text not null check (name <> ''),
    role text not null check (role in ('viewer', 'user', 'operator', 'admin', 'worker')),
    place text not null default '',  -- of those that a server makes for itself: its state folder
    single boolean not null default false,  -- good for one live worker at a time
    created_at timestamptz not null default store_now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    used_at timestamptz
);
create index token_live on token (name) where revoked_at is null;

-- The token that registered a worker; empty: by an earlier version, whoever calls next.
alter table worker add column token_id text not null default '';
create index worker_of_token on worker (token_id) where not lost;

-- Files that workers put as results: a task ends with one that its own worker put.
create table result_upload (
    token_id text not null,
    sha256 text not null,
    put_at timestamptz not null default store_now(),
    primary key (token_id, sha256)
);
create index result_upload_age on result_upload (put_at);

-- What people and workers changed, or were refused.
create table audit (
    event_id bigint generated always as identity primary key,
    at timestamptz not null default store_now(),
    principal text not null,
    role text not null,
    method text not null,
    resource text not null,
    outcome text not null
);
