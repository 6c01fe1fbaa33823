-- SPDX-License-Identifier: BSD-3-Clause
-- $1 keys of tasks that end, locked: the tasks that wait for $2 of them, unless they are more than $3,
-- which are released in pieces afterwards; then the jobs that want one.
-- Two that end at once must see each other: the second waits here and then looks anew. In one
-- statement, because nobody can join a task that is locked: the jobs are known before the wait.
with waiters as materialized (
    select count(*) as n
    from (select 1 from task_need where needs = any ($2::text[]) limit $3::integer + 1) w
), waiting as materialized (
    select t.task_id from task t
    where t.content_key = any (array(select distinct n.content_key from task_need n
                                     where n.needs = any ($2::text[])
                                       and (select n from waiters) <= $3))
    order by t.level, t.content_key
    for update
), jobs as materialized (
    select 1 from job
    where (select count(*) from waiting) >= 0
      and job_id = any (array(select distinct i.job_id from job_item i
                              where i.content_key = any ($1::text[]) and i.state = 'live'))
    order by job_id
    for update
)
select (select n from waiters), (select count(*) from jobs)
