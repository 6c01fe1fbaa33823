-- SPDX-License-Identifier: BSD-3-Clause
-- Bulk work goes on in the background.

-- Level and place of the last item that was planted, of those that gather nothing.
alter table job_planting add column planted_level bigint not null default -1;
alter table job_planting add column planted_ordinal bigint not null default -1;

-- A campaign is deleted with its jobs, for whoever asked for it.
alter table campaign drop constraint campaign_work_check;
alter table campaign add constraint campaign_work_check
    check (work in ('', 'hold', 'lift', 'cancel', 'delete'));
alter table campaign add column deleted_by text not null default '';
alter table campaign add column deleted_by_role text not null default '';

-- While tasks of a campaign are being held, none of its owner's begins.
create index campaign_being_held on campaign (owner) where work = 'hold';
