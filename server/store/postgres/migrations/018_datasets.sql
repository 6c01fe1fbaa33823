-- SPDX-License-Identifier: BSD-3-Clause
-- What datasets can be found by: a row per job, from its submission on. A dataset is there once
-- made_at is.
create table dataset (
    job_id text primary key references job on delete cascade,
    position bigint not null unique,  -- of the job
    owner text not null,
    title text not null,
    campaign_id text not null default '',  -- while that exists
    member bigint not null default 0,
    result bigint not null,  -- the job's last item: what was asked for
    described boolean not null,  -- false: of a job of before this migration, see describe_dataset
    physics text not null default '',
    faults text[] not null default '{}',
    structure_sha256 text not null default '',
    stations text[] not null default '{}',
    n_stations bigint not null default 0,
    place box,  -- degrees; west is in -180..180, east not below it
    n_sources bigint not null,
    tags text[] not null default '{}',
    pinned boolean not null default false,
    made_at timestamptz,
    sha256 text not null default '',
    bytes bigint not null default 0,
    n_missing bigint not null default 0
);
-- Out of the row: lists read many rows and never this.
alter table dataset alter column stations set storage external;
create index dataset_made on dataset (position) where made_at is not null;
create index dataset_of_owner on dataset (owner, position);
create index dataset_titled on dataset (title text_pattern_ops);
create index dataset_of_campaign on dataset (campaign_id) where campaign_id <> '';
create index dataset_of_structure on dataset (structure_sha256, position);
create index dataset_of_physics on dataset (physics, position);
create index dataset_made_at on dataset (made_at);
create index dataset_partial on dataset (position) where n_missing > 0;
create index dataset_pinned on dataset (position) where pinned;
create index dataset_undescribed on dataset (position) where not described;
create index dataset_with_tag on dataset using gin (tags);
create index dataset_on_fault on dataset using gin (faults);
create index dataset_at_station on dataset using gin (stations);
create index dataset_in_place on dataset using gist (place);

insert into dataset (job_id, position, owner, title, campaign_id, member, result, described,
                     n_sources, made_at, sha256, bytes, n_missing)
select j.job_id, j.position, j.owner, j.name, j.campaign_id, j.member, j.n_total - 1, false,
       j.n_sources, case when i.job_id is not null then coalesce(j.ended_at, store_now()) end,
       coalesce(i.sha256, ''), coalesce(i.bytes, 0), coalesce(i.n_missing, 0)
from job j
left join job_item i on i.job_id = j.job_id and i.ordinal = j.n_total - 1 and i.state = 'done'
                        and not i.source;

-- Whatever ends the last item of a job, or lets it live again, need not know: the dataset follows.
create function dataset_follows() returns trigger language plpgsql as $$
begin
    update dataset
    set made_at = case when new.state = 'done' then store_now() end,
        sha256 = case when new.state = 'done' then new.sha256 else '' end,
        bytes = case when new.state = 'done' then new.bytes else 0 end,
        n_missing = case when new.state = 'done' then new.n_missing else 0 end
    where job_id = new.job_id and result = new.ordinal;
    return null;
end $$;
create trigger dataset_follows after update on job_item for each row
    when (old.state <> new.state and not new.source
          and (old.state = 'done' or new.state = 'done'))
    execute function dataset_follows();

-- Kilometres along a great circle from a point to the nearest one of a box, 0 within it; as
-- distance_km of solvers/base/geo_box.hpp.
create function km_to_place(lon double precision, lat double precision, place box)
    returns double precision language plpgsql immutable strict as $$
declare
    radius constant double precision := 6371;
    west constant double precision := (place[1])[0];
    south constant double precision := (place[1])[1];
    width constant double precision := (place[0])[0] - west;
    north constant double precision := (place[0])[1];
    east_of_west double precision := lon - west;
    off double precision;   -- degrees of longitude to the nearer side
    best double precision;  -- latitude on that side nearest to the point, beyond a pole above 90
    near_lat double precision;
begin
    east_of_west := east_of_west - 360 * floor(east_of_west / 360);
    if east_of_west <= width then
        return radius * radians(greatest(south - lat, lat - north, 0));
    end if;
    off := least(east_of_west - width, 360 - east_of_west);
    best := atan2d(sind(lat), cosd(lat) * cosd(off));
    near_lat := case when best between south and north then best
                     when cosd(south - best) > cosd(north - best) then south
                     else north end;
    return 2 * radius * asin(sqrt(least(1, power(sind((lat - near_lat) / 2), 2)
                                           + cosd(lat) * cosd(near_lat)
                                             * power(sind(off / 2), 2))));
end $$;
