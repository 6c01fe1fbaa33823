-- SPDX-License-Identifier: BSD-3-Clause
-- What the next attempt of a task goes on from. Tasks of one pack name the same file.
alter table task
    add column checkpoint_sha256 text not null default '',
    add column checkpoint_bytes bigint not null default 0,
    add column checkpoint_step integer not null default 0;
create index task_of_checkpoint on task (checkpoint_sha256) where checkpoint_sha256 <> '';

-- Every file of a checkpoint that may lie in the artifact store: noted before it is put there, so
-- that none is left when a server dies meanwhile. `whole`: it is there, and tasks may name it.
create table checkpoint_file (
    sha256 text primary key,
    whole boolean not null default false,
    begun_at timestamptz not null default store_now()
);
