-- SPDX-License-Identifier: BSD-3-Clause
with numbered as (
    update job set event_seq = event_seq + 1 where job_id = $1 returning event_seq
)
insert into job_event (job_id, seq, type, ordinal, detail)
select $1, event_seq, $2, -1, $3 from numbered
