-- SPDX-License-Identifier: BSD-3-Clause
-- Jobs, the tasks they share, results, workers. docs/state_machine.md has the states.

-- Tests set the clock forward for a session; servers never do.
create function store_now() returns timestamptz language sql stable as $$
    select now() + coalesce(nullif(current_setting('kaname.clock_offset_s', true), ''), '0')::float8
                   * interval '1 second'
$$;

create table job (
    job_id text primary key,
    position bigint generated always as identity unique,
    owner text not null,
    name text not null,
    spec text not null,
    priority integer not null,
    state text not null default 'active'
        check (state in ('active', 'done', 'failed', 'cancelled')),
    n_total bigint not null,
    n_done bigint not null default 0,
    n_failed bigint not null default 0,
    n_cancelled bigint not null default 0,
    n_live bigint not null,
    n_sources bigint not null,
    n_sources_done bigint not null default 0,
    n_sources_failed bigint not null default 0,
    n_sources_reused bigint not null default 0,
    event_seq bigint not null default 0,
    created_at timestamptz not null default store_now(),
    ended_at timestamptz,
    check (n_total = n_done + n_failed + n_cancelled + n_live),
    check ((state = 'active') = (ended_at is null))
);

create table job_item (
    job_id text not null references job on delete cascade,
    ordinal bigint not null,
    content_key text not null,
    kind text not null check (kind in ('mesh', 'solve', 'package')),
    compat_key text not null,
    pool text not null,
    label text not null,
    payload text not null,
    blocked_by text[] not null,
    state text not null default 'live' check (state in ('live', 'done', 'failed', 'cancelled')),
    reused boolean not null default false,
    error text not null default '',
    sha256 text not null default '',
    bytes bigint not null default 0,
    primary key (job_id, ordinal)
);
create index job_item_live on job_item (content_key) where state = 'live';

-- Live work only: whatever ends leaves for task_done, so that the table stays small.
create table task (
    task_id bigint generated always as identity primary key,
    content_key text not null unique,
    kind text not null check (kind in ('mesh', 'solve', 'package')),
    owner text not null,
    compat_key text not null,
    pool text not null,
    label text not null,
    payload text not null,
    state text not null default 'ready' check (state in ('blocked', 'ready', 'running')),
    priority integer not null,
    run_at timestamptz not null default store_now(),
    ordinal bigint not null,  -- place in the job that created it: the order of its sources
    attempt integer not null default 0,
    crash_count integer not null default 0,
    fence bigint not null default 0,
    worker_id text,
    absent integer not null default 0,
    check ((state = 'running') = (worker_id is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
create index task_in_line on task (pool, priority desc, run_at, ordinal, task_id) where state = 'ready';
create index task_in_pack on task (compat_key, pool, priority desc, run_at, ordinal) where state = 'ready';
create index task_of_worker on task (worker_id) where state = 'running';

-- content_key waits for needs; the row goes when needs has ended.
create table task_need (
    needs text not null,
    content_key text not null,
    primary key (needs, content_key)
);
create index task_need_waiting on task_need (content_key);

create table task_done (
    task_id bigint primary key,
    content_key text not null,
    state text not null check (state in ('done', 'failed', 'cancelled')),
    ended_at timestamptz not null default store_now()
);

create table attempt (
    task_id bigint not null,
    fence bigint not null,
    worker_id text not null,
    started_at timestamptz not null default store_now(),
    ended_at timestamptz,
    outcome text check (outcome in ('done', 'failed', 'returned', 'lost')),
    sha256 text not null default '',
    error text not null default '',
    primary key (task_id, fence)
);

create table artifact (
    content_key text primary key,
    sha256 text not null,
    bytes bigint not null,
    uri text not null,
    created_at timestamptz not null default store_now()
);

create table worker (
    worker_id text primary key,
    name text not null,
    gpu_uuid text not null,
    host text not null,
    version text not null,
    ranks integer not null,
    threads integer not null,
    lost boolean not null default false,
    draining boolean not null default false,
    registered_at timestamptz not null default store_now(),
    heartbeat_at timestamptz not null default store_now()
) with (fillfactor = 50);

-- Answers of claims, so that a repeated claim gets the same one.
create table claimed (
    claim_id text not null,
    position integer not null,
    worker_id text not null,
    claimed_at timestamptz not null default store_now(),
    task_id bigint not null,
    fence bigint not null,
    attempt integer not null,
    kind text not null,
    content_key text not null,
    compat_key text not null,
    owner text not null,
    label text not null,
    payload text not null,
    primary key (claim_id, position)
);
create index claimed_at on claimed (claimed_at);

create table request (
    principal text not null,
    request_id text not null,
    body_sha256 text not null,
    job_id text not null references job on delete cascade deferrable initially deferred,
    n_created bigint not null default 0,
    n_joined bigint not null default 0,
    n_cached bigint not null default 0,
    primary key (principal, request_id)
);

create table job_event (
    job_id text not null references job on delete cascade,
    seq bigint not null,
    type text not null,
    ordinal bigint not null,
    detail text not null,
    primary key (job_id, seq)
);
