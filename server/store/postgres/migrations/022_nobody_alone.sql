-- SPDX-License-Identifier: BSD-3-Clause
-- Faults of GPUs and failures stay with the token that told them, and large cancels go on in the
-- background.

-- Jobs that are being cancelled, piece by piece. No task of their owners is claimed meanwhile.
create table job_cancelling (
    job_id text primary key,
    owner text not null,
    touched_at timestamptz not null default store_now()
);
create index job_cancelling_of_owner on job_cancelling (owner);

-- Progress of a job needs these besides its sources, of which there may be very many.
create index job_item_other on job_item (job_id, ordinal) where not source;

create index worker_live on worker (token_id) where not lost;

-- Two tokens speak for the same machine: equal ones, and those of the agents that one server started.
-- Workers of earlier versions have none.
create function one_tenure(a text, b text) returns boolean language sql stable as $$
    select a = b or a = '' or b = ''
        or exists (select from token x join token y on y.place = x.place
                   where x.token_id = a and y.token_id = b and x.place <> '')
$$;

-- By whose faults a GPU is cordoned: it holds for that tenure. Empty: for all.
alter table cordon add column token_id text not null default '';

-- The worker with which a task failed last, and that one's token.
alter table task add column failed_by text not null default '',
                 add column failed_token text not null default '';
-- Tasks in a row that failed with a worker and that others did.
alter table worker add column others_did integer not null default 0;
