-- SPDX-License-Identifier: BSD-3-Clause
-- These statements are about the database itself: migrations, clock, upkeep, backups.

-- name: lock_migrations
select pg_advisory_xact_lock(7301425)

-- name: create_migration_table
create table if not exists schema_migration (
    name text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
)

-- name: list_migrations
select name, sha256 from schema_migration order by name

-- name: record_migration
insert into schema_migration (name, sha256) values ($1, $2)

-- name: name_session
select pg_backend_pid()

-- name: look_at_settings
select current_setting('server_version_num')::int, current_setting('server_version'),
       pg_is_in_recovery() or current_setting('transaction_read_only') = 'on',
       (select pg_encoding_to_char(encoding) from pg_database where datname = current_database()),
       quote_ident(current_user)

-- name: look_at_rights
-- Empty owner: no table of Kaname is there yet.
select quote_ident(current_user), quote_ident(current_database()),
       coalesce(quote_ident(current_schema()), ''),
       coalesce(has_schema_privilege(current_schema(), 'create')
                and has_schema_privilege(current_schema(), 'usage'), false),
       coalesce(quote_ident(pg_get_userbyid(c.relowner)), ''),
       coalesce(pg_has_role(c.relowner, 'usage'), true),
       pg_has_role('pg_read_all_stats', 'usage')
from (select 1) always
left join pg_class c on c.oid = to_regclass('schema_migration')

-- name: look_at_session_limits
-- Limits of sessions with those that are open; -1 is none. Limits of roles and databases do not bind
-- a superuser.
select 'the connection limit of role ' || quote_ident(rolname),
       case when rolsuper then -1 else rolconnlimit end,
       (select count(*) from pg_stat_activity where usename = session_user),
       'alter role ' || quote_ident(rolname) || ' connection limit'
from pg_roles where rolname = session_user
union all
select 'the connection limit of database ' || quote_ident(datname),
       case when (select rolsuper from pg_roles where rolname = session_user) then -1
            else datconnlimit end,
       (select count(*) from pg_stat_activity where datname = current_database()),
       'alter database ' || quote_ident(datname) || ' connection limit'
from pg_database where datname = current_database()
union all
select 'max_connections of PostgreSQL',
       current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int,
       (select count(*) from pg_stat_activity where datname is not null),
       'alter system set max_connections ='

-- name: name_database
select current_database()

-- name: look_at_database
-- A role without pg_read_all_stats sees of others' sessions that they hold rows, not since when: these are
-- named by process and transaction, as are replication slots, which have no time at all.
select current_setting('server_version'), pg_database_size(current_database()),
       coalesce((select sum(n_live_tup) from pg_stat_user_tables), 0),
       coalesce((select sum(n_dead_tup) from pg_stat_user_tables), 0),
       coalesce((select max(extract(epoch from clock_timestamp() - since))
                 from (select a.xact_start as since from pg_stat_activity a
                       where (a.backend_xmin is not null or a.backend_xid is not null)
                         and a.pid <> pg_backend_pid() and a.datname = current_database()
                       union all
                       select p.prepared from pg_prepared_xacts p
                       where p.database = current_database()) known), 0),
       (select count(*) from pg_stat_activity a where a.datname = current_database()),
       coalesce((select max(name) from schema_migration), ''),
       coalesce((select string_agg(holder, ',')
                 from (select a.pid || ' ' || coalesce(max(l.virtualxid), '') as holder
                       from pg_stat_activity a
                       left join pg_locks l on l.pid = a.pid and l.locktype = 'virtualxid' and l.granted
                       where (a.backend_xmin is not null or a.backend_xid is not null)
                         and a.xact_start is null
                         and a.pid <> pg_backend_pid() and a.datname = current_database()
                       group by a.pid
                       union all
                       select 'slot ' || s.slot_name || ' ' || s.xmin::text
                       from pg_replication_slots s where s.xmin is not null) hidden), '')

-- name: count_tables
select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema')
  and n.nspname not like 'pg_toast%'

-- name: commit_lazily
-- Lost in a crash of the database's machine: then the file is put once more.
set local synchronous_commit = off

-- name: set_clock
select set_config('kaname.clock_offset_s', $1, false)

-- name: read_clock
select extract(epoch from store_now())

-- name: begin_upkeep
-- $1 seconds since the last begin. One server gets the row.
update upkeep set begun_at = store_now()
where begun_at <= store_now() - $1::float8 * interval '1 second'
returning 1

-- name: begin_snapshot
begin isolation level repeatable read

-- name: export_snapshot
select pg_export_snapshot()

-- name: begin_backup
-- $1 id, $2 folder, $3 host, $4 what becomes of artifacts. Those that ended without a word have failed:
-- only one is made at a time.
with ended as (
    update backup set state = 'failed', ended_at = store_now(), error = 'it was broken off'
    where state = 'running'
)
insert into backup (backup_id, folder, host, artifacts) values ($1, $2, $3, $4)

-- name: list_backups
select backup_id, folder, host, state, artifacts, extract(epoch from started_at),
       coalesce(extract(epoch from ended_at), 0), files, bytes, database_bytes, error
from backup
order by started_at desc, backup_id

-- name: end_backup
-- $1 id, $2 state, $3 files, $4 bytes, $5 bytes of the database's dump, $6 error
update backup
set state = $2, files = $3, bytes = $4, database_bytes = $5, error = $6, ended_at = store_now()
where backup_id = $1
