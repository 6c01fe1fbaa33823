-- SPDX-License-Identifier: BSD-3-Clause
-- What a package is made without, noted when it is claimed: whether its file is right for a job is
-- judged by these.
alter table task add column missing text[] not null default '{}';
with lacking as (
    select t.task_id, array_agg(distinct s.content_key) as keys
    from task t
    join job_item p on p.content_key = t.content_key and p.state = 'live'
    cross join lateral unnest(p.blocked_by) as need
    join job_item s on s.job_id = p.job_id and s.content_key = need and s.kind = 'solve'
    where t.kind = 'package' and t.state = 'running'
      and not exists (select 1 from artifact a where a.content_key = need)
    group by t.task_id
)
update task t set missing = l.keys from lacking l where l.task_id = t.task_id;

-- Sources that the dataset of a done package lacks. A dataset that is not the artifact of its key
-- lacks some, whatever the counters of its job say.
alter table job_item add column n_missing bigint not null default 0;
update job_item i
set n_missing = greatest(1, j.n_sources - j.n_sources_done)
from job j
where j.job_id = i.job_id and i.kind = 'package' and i.state = 'done'
  and not exists (select 1 from artifact a
                  where a.content_key = i.content_key and a.sha256 = i.sha256);
