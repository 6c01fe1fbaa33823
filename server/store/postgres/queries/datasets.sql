-- SPDX-License-Identifier: BSD-3-Clause
-- A dataset is the result of a job, as it is described and looked for.

-- name: insert_dataset
-- $1 job, which is there; $2 physics, $3 faults, $4 structure, $5 stations, $6 place or nothing.
insert into dataset (job_id, position, owner, title, campaign_id, member, result, described,
                     n_sources, physics, faults, structure_sha256, stations, n_stations, place)
select job_id, position, owner, name, campaign_id, member, n_total - 1, true, n_sources, $2, $3, $4,
       $5, cardinality($5::text[]), nullif($6, '')::box
from job where job_id = $1

-- name: find_datasets
-- Lists the datasets of these jobs, the oldest first.
select d.job_id, d.owner, d.title, d.campaign_id, coalesce(m.label, ''), d.physics,
       array_to_string(d.faults, E'\x1f'), d.structure_sha256, d.n_stations,
       coalesce((d.place[1])[0], 0), coalesce((d.place[1])[1], 0), coalesce((d.place[0])[0], 0),
       coalesce((d.place[0])[1], 0), d.place is not null, d.n_sources,
       array_to_string(d.tags, E'\x1f'), d.pinned, coalesce(extract(epoch from d.made_at), 0),
       d.sha256, d.bytes, d.n_missing, j.state, j.event_seq, d.position
from dataset d
join job j using (job_id)
left join campaign_member m on m.campaign_id = d.campaign_id and m.ordinal = d.member
where d.job_id = any ($1::text[])
order by d.made_at nulls last, d.position

-- name: find_pinned
select 1 from dataset where job_id = $1 and pinned

-- name: find_walk_end
-- Positions below $1: that of the newest dataset, and that of the one $2 further; 0: there is none.
select coalesce((select position from dataset
                 where made_at is not null and position < $1
                 order by position desc
                 limit 1), 0),
       coalesce((select position from dataset
                 where made_at is not null and position < $1
                 order by position desc
                 offset $2 limit 1), 0)

-- name: list_datasets
-- Newest first, with positions of $2 or more and below $1. A condition whose parameter is empty
-- holds: statements of this lane are planned with their parameters, so that what is left is led by
-- the index that fits it best. What is found is put in order afterwards: no plan walks along the
-- positions in the hope of finding enough, unless $23 says that the stretch is short enough for
-- that. $3 title, $4 title as a pattern, $5 owner, $6 campaign, $7 structure, $8 physics, $9 tags,
-- $10 faults, $11 stations, $12 complete, $13 pinned, $14 made after and $15 before (0: any), $16 to
-- $18 one place three times, 360 degrees apart, $19 longitude, $20 latitude and $21 kilometres (below
-- 0: any distance), $22 how many.
with found as materialized (
    select d.position from dataset d
    where d.made_at is not null and d.position >= $2 and d.position < $1
      and ($3 = '' or d.title = $3) and ($4 = '' or d.title like $4)
      and ($5 = '' or d.owner = $5)
      and ($6 = '' or (d.campaign_id = $6 and d.campaign_id <> ''))
      and ($7 = '' or d.structure_sha256 = $7) and ($8 = '' or d.physics = $8)
      and ($9::text[] = '{}' or d.tags @> $9) and ($10::text[] = '{}' or d.faults @> $10)
      and ($11::text[] = '{}' or d.stations @> $11)
      and ($12 = '' or ($12 = 'true' and d.n_missing = 0) or ($12 = 'false' and d.n_missing > 0))
      and ($13 = '' or ($13 = 'true' and d.pinned) or ($13 = 'false' and not d.pinned))
      and ($14::float8 = 0 or d.made_at > to_timestamp($14))
      and ($15::float8 = 0 or d.made_at < to_timestamp($15))
      and ($16 = '' or d.place && nullif($16, '')::box or d.place && nullif($17, '')::box
           or d.place && nullif($18, '')::box)
      and ($21::float8 < 0 or km_to_place($19, $20, d.place) <= $21)
    order by case when $23::boolean then d.position end desc
    limit case when $23::boolean then $22::bigint end
)
select d.job_id, d.owner, d.title, d.campaign_id, coalesce(m.label, ''), d.physics,
       array_to_string(d.faults, E'\x1f'), d.structure_sha256, d.n_stations,
       coalesce((d.place[1])[0], 0), coalesce((d.place[1])[1], 0), coalesce((d.place[0])[0], 0),
       coalesce((d.place[0])[1], 0), d.place is not null, d.n_sources,
       array_to_string(d.tags, E'\x1f'), d.pinned, coalesce(extract(epoch from d.made_at), 0),
       d.sha256, d.bytes, d.n_missing, j.state, j.event_seq, d.position
from dataset d
join job j using (job_id)
left join campaign_member m on m.campaign_id = d.campaign_id and m.ordinal = d.member
where d.position = any (array(select f.position from found f order by f.position desc limit $22))
order by d.position desc

-- name: list_undescribed_datasets
select d.job_id, j.spec
from dataset d join job j using (job_id)
where not d.described
order by d.position desc
limit $1

-- name: list_retention
-- All datasets, the oldest first, and whether nothing needs them.
select d.job_id, d.sha256, d.bytes, extract(epoch from store_now() - d.made_at),
       not d.pinned and d.campaign_id = '' and j.state <> 'active'
from dataset d join job j using (job_id)
where d.made_at is not null
order by d.made_at, d.position

-- name: describe_dataset
update dataset
set described = true, physics = $2, faults = $3, structure_sha256 = $4, stations = $5,
    n_stations = cardinality($5::text[]), place = nullif($6, '')::box
where job_id = $1 and not described

-- name: change_dataset
update dataset set tags = $2, pinned = $3 where job_id = $1
