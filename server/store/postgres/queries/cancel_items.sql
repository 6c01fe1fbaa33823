-- SPDX-License-Identifier: BSD-3-Clause
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
