-- SPDX-License-Identifier: BSD-3-Clause
select current_setting('server_version'), pg_database_size(current_database()),
       coalesce((select sum(n_live_tup) from pg_stat_user_tables), 0),
       coalesce((select sum(n_dead_tup) from pg_stat_user_tables), 0),
       coalesce((select max(extract(epoch from clock_timestamp() - a.xact_start))
                 from pg_stat_activity a
                 where a.backend_xmin is not null and a.pid <> pg_backend_pid()
                   and a.datname = current_database()), 0),
       (select count(*) from pg_stat_activity a where a.datname = current_database()),
       coalesce((select max(name) from schema_migration), '')
