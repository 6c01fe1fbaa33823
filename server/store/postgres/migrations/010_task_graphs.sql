-- SPDX-License-Identifier: BSD-3-Clause
-- A job is a graph of tasks: which need others done, which gather those that are, which are sources.
-- Until here the graph was mesh, solves and package, told by one word.
alter table job_item drop constraint job_item_kind_check;
alter table job_item rename column kind to verb;
alter table job_item rename column blocked_by to needs;
alter table job_item
    add column gathers text[] not null default '{}',
    add column source boolean not null default false,
    add column level integer not null default 0;  -- in the graph: the order of locks
update job_item
set source = verb = 'solve', level = array_position('{mesh,solve,package}', verb) - 1
where verb <> 'mesh';
-- A package needed its mesh done and its solves ended. Unnested and joined: it may have 10,000.
update job_item p
set needs = coalesce(parts.needs, '{}'), gathers = coalesce(parts.gathers, '{}')
from (select i.job_id, i.ordinal,
             array_agg(key.content_key order by key.place) filter (where not s.source) as needs,
             array_agg(key.content_key order by key.place) filter (where s.source) as gathers
      from job_item i
      cross join lateral unnest(i.needs) with ordinality as key (content_key, place)
      join (select distinct job_id, content_key, source from job_item) s
           on s.job_id = i.job_id and s.content_key = key.content_key
      where i.verb = 'package'
      group by i.job_id, i.ordinal) parts
where p.job_id = parts.job_id and p.ordinal = parts.ordinal;

alter table task drop constraint task_kind_check;
alter table task rename column kind to verb;
alter table task
    add column level integer not null default 0,
    add column gathers boolean not null default false;
update task
set gathers = verb = 'package', level = array_position('{mesh,solve,package}', verb) - 1
where verb <> 'mesh';
alter table task_need add column gathered boolean not null default false;
update task_need n
set gathered = true
from task waiting, task needed
where waiting.content_key = n.content_key and waiting.gathers
  and needed.content_key = n.needs and needed.verb = 'solve';

alter table claimed rename column kind to verb;
