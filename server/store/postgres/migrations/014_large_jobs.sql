-- SPDX-License-Identifier: BSD-3-Clause
-- Jobs of 100,000 sources. Their rows are written without a look at the job for each of them; what is
-- part of a job goes with it.
alter table job_item drop constraint job_item_job_id_fkey;
alter table job_event drop constraint job_event_job_id_fkey;
create function forget_parts_of_jobs() returns trigger language plpgsql as $$
begin
    delete from job_item i using gone where i.job_id = gone.job_id;
    delete from job_event e using gone where e.job_id = gone.job_id;
    return null;
end $$;
create trigger gone_jobs after delete on job
    referencing old table as gone for each statement execute function forget_parts_of_jobs();

-- Jobs whose tasks are being created, in pieces, by whoever has written run_id here last.
create table job_planting (
    job_id text primary key,
    run_id text not null,
    of_request boolean not null,  -- counts for the request that submitted the job, not for a retry
    begun_at timestamptz not null default store_now(),  -- all its tasks are ready from then on
    touched_at timestamptz not null default store_now()
);

-- Tasks that failed while more waited for them than can be failed at once. Who came to wait after
-- last_task_id was created waits for another task of this key.
create table failure_pending (
    content_key text primary key,
    error text not null,
    last_task_id bigint not null
);

-- What is released in pieces is in line as if it had been at once.
alter table release_pending add column since timestamptz not null default store_now();
