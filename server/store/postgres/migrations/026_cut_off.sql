-- SPDX-License-Identifier: BSD-3-Clause
-- Attempts in a row that ended with the time of their workers before the task had a checkpoint.

alter table task add column cut_off integer not null default 0;
alter table task add column cut_off_limit_s double precision not null default 0;
create index task_cut_off on task (cut_off) where cut_off > 0;
