-- SPDX-License-Identifier: BSD-3-Clause
-- An item of a job names the task whose result it wants.

-- name: insert_items
-- $2 keys and $3 labels of items, the first of which has place $5; $4 which of the kinds in $6 to $13
-- each is of, counted from 1: thousands agree in all but key and label. needs and gathers come as one
-- text, keys separated by commas.
insert into job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs,
                      gathers, source, level)
select $1, $5::bigint + item.position - 1, item.content_key, kind.verb, kind.compat_key, kind.pool,
       item.label, kind.payload, string_to_array(kind.needs, ','),
       string_to_array(kind.gathers, ','), kind.source, kind.level
from unnest($2::text[], $3::text[], $4::integer[])
     with ordinality as item (content_key, label, kind, position)
join unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::boolean[], $13::integer[])
     with ordinality as kind (verb, compat_key, pool, payload, needs, gathers, source, level, place)
  on kind.place = item.kind
order by item.position

-- name: list_items
select ordinal, content_key, verb, state, label, error, reused, sha256, bytes, n_missing, source
from job_item
where job_id = $1 and ordinal >= $2
order by ordinal
limit $3

-- name: list_items_at
-- $1 job, $2 ordinals
select i.ordinal, i.content_key, i.verb, i.state, i.label, i.error, i.reused, i.sha256, i.bytes,
       i.n_missing, i.source
from unnest($2::bigint[]) with ordinality as asked (ordinal, place)
join job_item i on i.job_id = $1 and i.ordinal = asked.ordinal
order by asked.place

-- name: find_item
select ordinal, content_key, verb, state, label, error, reused, sha256, bytes, n_missing, source
from job_item
where job_id = $1 and label = $2
order by ordinal
limit 1

-- name: list_parts
-- $1 job, $2 content keys. In one statement, since each takes its turn on a busy machine. Parts: 0 what
-- is no source; 1 the first source; 2 live sources of $2; 3 the live item with most attempts in a
-- row that ended with the time of their workers, which are few. MATERIALIZED and OFFSET 0 begin with
-- these, as with the keys of 2, and look for each by its key; else a plan without statistics goes
-- through all live items. ORDER BY with LIMIT finds them by their index.
with cut_off as materialized (
    select content_key, cut_off, cut_off_limit_s from task
    where cut_off > 0 order by cut_off desc limit 1000
)
select i.ordinal, i.content_key, i.verb, i.state, i.label, i.error, i.reused, i.sha256, i.bytes,
       i.n_missing, i.source,
       0 as part, 0 as cut_off, 0.0::float8 as time_limit_s
from job_item i
where i.job_id = $1 and not i.source
union all
(select i.ordinal, i.content_key, i.verb, i.state, i.label, i.error, i.reused, i.sha256, i.bytes,
        i.n_missing, i.source,
        1, 0, 0.0
 from job_item i
 where i.job_id = $1 and i.source
 order by i.ordinal
 limit 1)
union all
select i.ordinal, i.content_key, i.verb, i.state, i.label, i.error, i.reused, i.sha256, i.bytes,
       i.n_missing, i.source,
       2, 0, 0.0
from unnest($2::text[]) as k (content_key)
cross join lateral (select * from job_item
                    where content_key = k.content_key and state = 'live' and job_id = $1 and source
                    offset 0) i
union all
(select i.ordinal, i.content_key, i.verb, i.state, i.label, i.error, i.reused, i.sha256, i.bytes,
        i.n_missing, i.source,
        3, t.cut_off, t.cut_off_limit_s
 from cut_off t
 cross join lateral (select * from job_item
                     where content_key = t.content_key and state = 'live' and job_id = $1
                     offset 0) i
 order by t.cut_off desc, i.ordinal
 limit 1)
order by part, ordinal

-- name: list_live_items
-- Lists an item before the items that it needs.
select content_key from job_item
where job_id = $1 and state = 'live'
order by level desc, content_key

-- name: list_states_of_items
-- $1 job, locked, so that they stay as they are; $2 items. = ANY, here and below, takes them by their
-- index: a join, planned without statistics, compares each item of the job with each that is asked.
select i.ordinal, i.state, i.error
from job_item i
where i.job_id = $1 and i.ordinal = any ($2::bigint[])

-- name: find_items_without_task
select 1 from job_item i
where i.job_id = $1 and i.state = 'live'
  and not exists (select 1 from task t where t.content_key = i.content_key)
limit 1

-- name: reuse_artifacts
-- Locked against whoever forgets results that nobody wants: what is gone in the end is not reused.
with found as materialized (
    select a.content_key, a.sha256, a.bytes from artifact a
    where a.content_key in (select content_key from job_item where job_id = $1 and state = 'live')
    order by a.content_key
    for key share of a
)
update job_item i
set state = 'done', reused = true, sha256 = a.sha256, bytes = a.bytes
from found a
where i.job_id = $1 and i.state = 'live' and a.content_key = i.content_key
returning i.job_id, i.ordinal, i.source

-- name: reuse_some_artifacts
-- $1 job, locked; $2 items of it
update job_item i
set state = 'done', reused = true, sha256 = a.sha256, bytes = a.bytes
from artifact a
where i.job_id = $1 and i.ordinal = any ($2::bigint[]) and i.state = 'live'
  and a.content_key = i.content_key
returning i.job_id, i.ordinal, i.source

-- name: end_items
-- $1 keys with $2 hashes and $3 bytes of their results; $4 state and $5 error of their items; $6 jobs
-- whose items stay as they are, or with $7 the only ones whose items end; $8 what a gatherer's
-- result lacks; $9 the event of an item. The jobs are locked: the event numbers are taken under that
-- lock, so that no watcher can skip one. A job ends with its last item, unless a retry is about to
-- revive more of them.
with told as materialized (
    select * from unnest($1::text[], $2::text[], $3::bigint[]) as k (content_key, sha256, bytes)
), ended as (
    update job_item i
    set state = $4, error = $5, sha256 = k.sha256, bytes = k.bytes, n_missing = $8
    from told k
    where i.content_key = k.content_key and i.state = 'live'
      and (i.job_id = any ($6::text[])) = $7::boolean
    returning i.job_id, i.ordinal, i.source
), of_job as (
    select e.job_id, count(*) as n, count(*) filter (where source) as n_sources,
           exists (select from job_planting p where p.job_id = e.job_id and p.reviving) as grows
    from ended e group by e.job_id
), counted as (
    update job j
    set n_live = j.n_live - c.n,
        n_done = j.n_done + case when $4 = 'done' then c.n else 0 end,
        n_failed = j.n_failed + case when $4 = 'failed' then c.n else 0 end,
        n_sources_done = j.n_sources_done + case when $4 = 'done' then c.n_sources else 0 end,
        n_sources_failed = j.n_sources_failed + case when $4 = 'failed' then c.n_sources else 0 end,
        event_seq = j.event_seq + c.n + case when j.n_live = c.n and not c.grows then 1 else 0 end,
        state = case when j.n_live > c.n or c.grows then j.state
                     when j.n_cancelled > 0 then 'cancelled'
                     when j.n_failed > 0 or $4 = 'failed' then 'failed'
                     else 'done' end,
        ended_at = case when j.n_live = c.n and not c.grows then store_now() end
    from of_job c
    where j.job_id = c.job_id
    returning j.job_id, j.state, j.event_seq,
              j.event_seq - c.n - case when j.state <> 'active' then 1 else 0 end as before
), of_items as (
    insert into job_event (job_id, seq, type, ordinal, detail)
    select e.job_id, c.before + row_number() over (partition by e.job_id order by e.ordinal), $9,
           e.ordinal, $5
    from ended e join counted c using (job_id)
)
insert into job_event (job_id, seq, type, ordinal, detail)
select job_id, event_seq, 'job_ended', -1, state from counted where state <> 'active'

-- name: cancel_items
-- $1 job, locked; $2 keys. As for any end of items; the job ends with its last one.
with ended as (
    update job_item set state = 'cancelled'
    where job_id = $1 and state = 'live' and content_key = any ($2::text[])
    returning ordinal
), counted as (
    update job
    set n_live = n_live - (select count(*) from ended),
        n_cancelled = n_cancelled + (select count(*) from ended),
        event_seq = event_seq + (select count(*) from ended)
                    + case when n_live = (select count(*) from ended) then 1 else 0 end,
        state = case when n_live = (select count(*) from ended) then 'cancelled' else state end,
        ended_at = case when n_live = (select count(*) from ended) then store_now() end
    where job_id = $1 and state = 'active'
    returning event_seq, n_live, state,
              event_seq - (select count(*) from ended)
              - case when n_live = 0 then 1 else 0 end as before
), of_items as (
    insert into job_event (job_id, seq, type, ordinal, detail)
    select $1, c.before + row_number() over (order by e.ordinal), $3, e.ordinal, ''
    from ended e cross join counted c
)
insert into job_event (job_id, seq, type, ordinal, detail)
select $1, event_seq, 'job_ended', -1, state from counted where n_live = 0

-- name: revive_items
-- $1 job, $2 items of it: those that failed, were cancelled or gather, and those whose result is
-- gone, live again. Told: how many had failed, were cancelled and done; sources that had failed, were
-- done, and were done by reuse.
with was as materialized (
    select i.ordinal, i.state, i.source, i.reused
    from job_item i
    where i.job_id = $1 and i.ordinal = any ($2::bigint[])
      and (i.state in ('failed', 'cancelled')
           or (i.state = 'done'
               and (i.gathers <> '{}'
                    or not exists (select 1 from artifact a where a.content_key = i.content_key))))
), revived as (
    update job_item i
    set state = 'live', error = '', sha256 = '', bytes = 0, reused = false, n_missing = 0
    where i.job_id = $1 and i.ordinal = any (array(select ordinal from was))
)
select count(*) filter (where state = 'failed'), count(*) filter (where state = 'cancelled'),
       count(*) filter (where state = 'done'), count(*) filter (where state = 'failed' and source),
       count(*) filter (where state = 'done' and source),
       count(*) filter (where state = 'done' and source and reused)
from was
