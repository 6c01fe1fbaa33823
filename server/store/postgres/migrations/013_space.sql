-- SPDX-License-Identifier: BSD-3-Clause
-- What refers to a file of the artifact store, so that the rest can be removed, and what lets old
-- rows be found without a scan.

-- The specification of a job and the files that it names.
create table job_file (
    sha256 text not null,
    job_id text not null references job on delete cascade,
    primary key (sha256, job_id)
);
create index job_file_of_job on job_file (job_id);
insert into job_file (job_id, sha256)
select job_id, encode(sha256(convert_to(spec, 'UTF8')), 'hex') from job
union
select j.job_id, named.hash[1]
from job j cross join lateral regexp_matches(j.spec, '[0-9a-f]{64}', 'g') as named (hash);

-- The same of tasks that live on for others, after the job that brought their specification was
-- deleted. What such a specification names is not known of tasks that are here by now.
create table task_file (
    content_key text not null,
    sha256 text not null,
    primary key (sha256, content_key)
);
insert into task_file (content_key, sha256)
select content_key, payload from task where payload <> '';

-- Files to which nothing refers, since when; and files that somebody is about to name. Whoever
-- names a file first writes its row, whoever removes one locks it.
create table loose_file (
    sha256 text primary key,
    since timestamptz not null default store_now()
);

create index job_item_of_file on job_item (sha256) where sha256 <> '';
create index artifact_of_file on artifact (sha256);
create index result_upload_of_file on result_upload (sha256);

create function file_in_use(file text) returns boolean language sql stable as $$
    select exists (select from job_file f where f.sha256 = file)
        or exists (select from job_item i where i.sha256 = file and i.sha256 <> '')
        or exists (select from artifact a
                   join job_item i on i.content_key = a.content_key and i.state = 'live'
                   where a.sha256 = file)
        or exists (select from task_file f join task t on t.content_key = f.content_key
                   where f.sha256 = file)
        -- A worker put it and is about to complete its task.
        or exists (select from result_upload u
                   where u.sha256 = file and u.put_at > store_now() - interval '2 days')
$$;

create index attempt_ended on attempt (ended_at) where outcome is not null;
create index task_done_ended on task_done (ended_at);
create index worker_lost_at on worker (heartbeat_at) where lost;
create index audit_at on audit (at);
create index audit_refused_at on audit (at) where outcome like 'refused%';
create index gpu_fault_at on gpu_fault (told_at);
create index token_single_revoked on token (revoked_at) where single and revoked_at is not null;

-- One server at a time tidies up.
create table upkeep (
    one boolean primary key default true check (one),
    begun_at timestamptz not null
);
insert into upkeep (begun_at) values (store_now() - interval '100 years');
