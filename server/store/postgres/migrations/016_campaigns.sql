-- SPDX-License-Identifier: BSD-3-Clause
-- Many specifications under one name, and tasks that are held back for them.
create table campaign (
    campaign_id text primary key,
    position bigint generated always as identity unique,
    owner text not null,
    title text not null,
    priority integer not null,
    state text not null default 'active'
        check (state in ('active', 'paused', 'done', 'failed', 'cancelled')),
    axes text not null,  -- kept as they came, as is the cost
    cost text not null,
    tasks_at_once bigint not null check (tasks_at_once >= 0),  -- 0: any number, as those below
    hours double precision not null check (hours >= 0),
    bytes double precision not null check (bytes >= 0),
    turn bigint not null default 1,  -- of what people, or its end, made of it last
    work text not null default '' check (work in ('', 'hold', 'lift', 'cancel')),  -- not finished
    created_at timestamptz not null default store_now(),
    ended_at timestamptz,
    check ((state in ('active', 'paused')) = (ended_at is null))
);
create index campaign_of_owner on campaign (owner, position);

create table campaign_member (
    campaign_id text not null references campaign on delete cascade,
    ordinal bigint not null,
    label text not null,
    value_list text not null,  -- kept as they came
    spec text not null,
    -- 'submitted': as its job; one that waits and has a job waits for that to be tried again.
    state text not null default 'waiting'
        check (state in ('waiting', 'submitted', 'done', 'failed', 'cancelled', 'refused')),
    round integer not null default 0,
    job_id text not null default '',
    error text not null default '',
    primary key (campaign_id, ordinal),
    unique (campaign_id, label),
    check (state <> 'submitted' or job_id <> '')
);
create index campaign_member_waiting on campaign_member (campaign_id, ordinal)
    where state = 'waiting';

-- Whose turn it is to submit its members, and why it cannot.
create table campaign_drive (
    campaign_id text primary key references campaign on delete cascade,
    driver_id text not null default '',
    until timestamptz not null default '-infinity',
    reason text not null default ''
);

-- The files that its members name.
create table campaign_file (
    sha256 text not null,
    campaign_id text not null references campaign on delete cascade,
    primary key (sha256, campaign_id)
);
create index campaign_file_of_campaign on campaign_file (campaign_id);

alter table job
    add column campaign_id text not null default '',
    add column member bigint not null default 0;
create index job_of_campaign on job (campaign_id, member) where campaign_id <> '';
create index job_active_of_campaign on job (campaign_id)
    where campaign_id <> '' and state = 'active';

-- A task with `hold` is 'held' where another is ready. Whatever makes a task ready or changes `hold`
-- need not know: the state follows.
alter table task drop constraint task_state_check;
alter table task
    add column hold boolean not null default false,
    add column campaign_id text not null default '',  -- of the job that it was created for
    add column member bigint not null default 0,
    add check (state in ('blocked', 'ready', 'held', 'running')),
    add check (state <> 'held' or hold),
    add check (state <> 'ready' or not hold);
create index task_of_campaign on task (campaign_id, state) where campaign_id <> '';
create index task_held on task (campaign_id, member, ordinal, task_id) where state = 'held';
create function hold_back() returns trigger language plpgsql as $$
begin
    new.state := case when new.hold then 'held' else 'ready' end;
    return new;
end $$;
create trigger hold_back before insert or update on task for each row
    when ((new.hold and new.state = 'ready') or (new.state = 'held' and not new.hold))
    execute function hold_back();

-- Which tasks of a campaign's jobs are held: 'all' while it is paused, 'own' those that are created
-- for it where it lets only so many start at once, '' none.
create function campaign_holds(campaign text) returns text language sql stable as $$
    select coalesce((select case when c.state = 'paused' then 'all'
                                 when c.state = 'active' and c.tasks_at_once > 0 then 'own'
                                 else '' end
                     from campaign c where c.campaign_id = campaign), '')
$$;
-- Whether of all jobs that want a task, which was created for this campaign, none would have it
-- start by itself.
create function nobody_starts(task_key text, task_campaign text) returns boolean
    language sql stable as $$
    select not exists (
        select from job_item i
        join job j on j.job_id = i.job_id
        left join campaign c on c.campaign_id = j.campaign_id
        where i.content_key = task_key and i.state = 'live'
          and coalesce(not (c.state = 'paused'
                            or (c.state = 'active' and c.tasks_at_once > 0
                                and c.campaign_id = task_campaign)), true))
$$;

create or replace function file_in_use(file text) returns boolean language sql stable as $$
    select exists (select from job_file f where f.sha256 = file)
        or exists (select from campaign_file f where f.sha256 = file)
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
