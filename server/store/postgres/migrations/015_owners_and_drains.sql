-- SPDX-License-Identifier: BSD-3-Clause
-- What operators allow owners, and which hosts and GPUs they want no work on.

create table owner_quota (
    owner text primary key check (owner <> ''),
    queued bigint check (queued >= 0),    -- null: unlimited, as are those below
    running bigint check (running >= 0),
    bytes bigint check (bytes >= 0),
    weight double precision not null default 1 check (weight > 0)
);
create index job_active_of_owner on job (owner) where state = 'active';

-- Who uploaded which file; a row goes when its file has gone.
create table owner_upload (
    owner text not null,
    sha256 text not null,
    bytes bigint not null,
    put_at timestamptz not null default store_now(),
    primary key (owner, sha256)
);

-- A worker on one of these hosts, or with one of these GPUs, claims nothing, whoever starts it.
create table drain (
    kind text not null check (kind in ('host', 'gpu')),
    value text not null check (value <> ''),
    host text not null default '',  -- of a GPU: where a worker that has it was seen last
    since timestamptz not null default store_now(),
    primary key (kind, value)
);

-- A worker that took its leave: it counts as lost in all but what people are told.
alter table worker add column gone boolean not null default false;

-- Which call made a token: repeated because its answer was lost, it makes another in place of that one.
alter table token add column request text not null default '';
create index token_request on token (request) where request <> '';
