-- SPDX-License-Identifier: BSD-3-Clause
-- Worker jobs of batch systems; the row of an intent is there before the job can be.
create table dispatch (
    dispatch_id uuid primary key,
    place text not null,  -- of the server that sent it
    pool text not null check (pool <> ''),
    native_id text not null default '',  -- of the batch system
    state text not null default 'intended'
        check (state in ('intended', 'submitted', 'running', 'unknown', 'ended')),
    reason text not null default '',
    exit_code integer,
    intended_at timestamptz not null default store_now(),
    changed_at timestamptz not null default store_now(),
    ended_at timestamptz,
    check ((state = 'ended') = (ended_at is not null))
);
create index dispatch_live on dispatch (intended_at) where state <> 'ended';
create index dispatch_ended on dispatch (ended_at) where state = 'ended';
