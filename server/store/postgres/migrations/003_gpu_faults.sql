-- SPDX-License-Identifier: BSD-3-Clause
-- A worker may hold several GPUs. Their faults are counted per GPU, whoever starts the worker, and
-- a GPU with too many is cordoned until an operator lifts it.
alter table worker alter column gpu_uuid type text[]
    using case gpu_uuid when '' then '{}'::text[] else array[gpu_uuid] end;
alter table worker rename column gpu_uuid to gpu_uuids;

create table gpu_fault (
    fault_id text primary key,
    gpu_uuid text not null check (gpu_uuid <> ''),
    worker_id text not null,
    reason text not null,
    told_at timestamptz not null default store_now()
);
create index gpu_fault_recent on gpu_fault (gpu_uuid, told_at);

create table gpu_cordon (
    gpu_uuid text primary key,
    reason text not null,
    since timestamptz not null default store_now()
);
