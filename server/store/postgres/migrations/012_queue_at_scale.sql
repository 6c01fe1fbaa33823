-- SPDX-License-Identifier: BSD-3-Clause
-- A million waiting tasks of many owners: whatever a claim looks for is the first row of an index.
drop index task_in_line;
drop index task_in_pack;
create index task_of_owner on task (pool, owner, priority desc, run_at, ordinal, task_id)
    where state = 'ready';
create index task_of_key on task (pool, owner, compat_key, verb, priority desc, run_at, ordinal, task_id)
    where state = 'ready';
create index job_of_owner on job (owner, position);

-- How many tasks there are in each state, as changes that are summed up and now and then put
-- together: a row that all of them updated would make every transaction wait for every other.
create table task_count (
    state text not null,
    n bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
insert into task_count (state, n) select state, count(*) from task group by state;

create function count_new_tasks() returns trigger language plpgsql as $$
begin
    insert into task_count (state, n) select state, count(*) from fresh group by state;
    return null;
end $$;
create function count_gone_tasks() returns trigger language plpgsql as $$
begin
    insert into task_count (state, n) select state, -count(*) from gone group by state;
    return null;
end $$;
create function count_changed_tasks() returns trigger language plpgsql as $$
begin
    insert into task_count (state, n)
    select state, sum(one) from (select state, 1 as one from fresh
                                 union all select state, -1 from gone) c
    group by state having sum(one) <> 0;
    return null;
end $$;
create trigger new_tasks after insert on task
    referencing new table as fresh for each statement execute function count_new_tasks();
create trigger gone_tasks after delete on task
    referencing old table as gone for each statement execute function count_gone_tasks();
create trigger changed_tasks after update on task
    referencing old table as gone new table as fresh
    for each statement execute function count_changed_tasks();

-- One row per answered claim, whatever the number of its tasks.
create table claim_answer (
    claim_id text primary key,
    worker_id text not null,
    claimed_at timestamptz not null default store_now(),
    tasks json not null
);
insert into claim_answer (claim_id, worker_id, claimed_at, tasks)
select claim_id, min(worker_id), min(claimed_at),
       json_agg(json_build_object('task_id', task_id, 'fence', fence, 'attempt', attempt, 'verb', verb,
                                  'content_key', content_key, 'compat_key', compat_key,
                                  'owner', owner, 'label', label, 'payload', payload)
                order by position)
from claimed
group by claim_id;
drop table claimed;
create index claim_answer_at on claim_answer (claimed_at);

-- What waits for one of these is still to be released, in pieces.
create table release_pending (
    content_key text primary key
);

-- A request is known for longer than its job: repeated after the job was deleted, it makes no other.
alter table request drop constraint request_job_id_fkey;
alter table request add column known_since timestamptz not null default store_now();
create index request_at on request (known_since);
create index request_of_job on request (job_id);
