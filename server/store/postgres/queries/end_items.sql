-- SPDX-License-Identifier: BSD-3-Clause
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
