-- SPDX-License-Identifier: BSD-3-Clause
-- What operators see and do: cordons of workers, hosts and GPUs with a reason, failures with what
-- failed, traces of jobs, backups.

create table cordon (
    kind text not null check (kind in ('gpu', 'host', 'worker')),
    value text not null check (value <> ''),
    host text not null default '',  -- of a GPU: where a worker that has it was seen last
    reason text not null,
    since timestamptz not null default store_now(),
    set_by text not null default '',  -- whose token; empty: by the GPU's faults
    primary key (kind, value)
);
insert into cordon (kind, value, host, reason, since)
select 'gpu', c.gpu_uuid,
       coalesce((select w.host from worker w where c.gpu_uuid = any (w.gpu_uuids)
                 order by w.registered_at desc limit 1), ''),
       c.reason, c.since
from gpu_cordon c;
drop table gpu_cordon;

-- Why claims give a worker nothing, for people.
create function cordon_text(c cordon) returns text language sql immutable as $$
    select case when c.set_by = '' then c.reason
                else c.kind || ' ' || c.value || ' is cordoned by ' || c.set_by
                     || case c.reason when '' then '' else ': ' || c.reason end end
$$;

alter table drain add column reason text not null default '',
                  add column set_by text not null default '';
alter table worker add column drain_reason text not null default '';

-- What failed, where its task is gone; of the job that it was made for. Filled in at a failure.
alter table attempt add column label text not null default '',
                    add column payload text not null default '';
create index attempt_unhappy on attempt (ended_at) where outcome in ('failed', 'lost');

alter table job add column traceparent text not null default '';  -- W3C Trace Context

create table backup (
    backup_id text primary key,
    folder text not null,
    host text not null,
    artifacts text not null check (artifacts in ('copy', 'link', 'manifest')),
    state text not null default 'running' check (state in ('running', 'done', 'failed')),
    started_at timestamptz not null default store_now(),
    ended_at timestamptz,
    files bigint not null default 0,
    bytes bigint not null default 0,
    database_bytes bigint not null default 0,
    error text not null default ''
);
create index backup_started on backup (started_at);
