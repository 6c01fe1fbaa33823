-- SPDX-License-Identifier: BSD-3-Clause
-- $1 workers, $2 tasks, $3 fences, $4 hashes, $5 bytes, $6 files: one completion each, in the order
-- in which they came. All tasks are locked in the common order; those that gather are only told of,
-- for they are judged first. Told of each that ended: its place among the completions. Each step
-- joins by a primary key alone, so that no plan goes through all tasks of a worker for each of them.
with told as materialized (
    select distinct on (task_id, fence, worker_id) *
    from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])
         with ordinality as c (worker_id, task_id, fence, sha256, bytes, uri, position)
    order by task_id, fence, worker_id, position
), locked as materialized (
    select t.task_id, t.gathers, t.content_key, t.began_at, c.worker_id, c.fence, c.sha256, c.bytes,
           c.uri, c.position,
           t.fence = c.fence and t.worker_id = c.worker_id and t.state = 'running' as mine
    from told c join task t on t.task_id = c.task_id
    order by t.level, t.content_key
    for update of t
), ended as materialized (
    select * from locked where mine and not gathers
), gone as (
    delete from task t using ended e where t.task_id = e.task_id
), result as (
    insert into artifact (content_key, sha256, bytes, uri)
    select content_key, sha256, bytes, uri from ended
    on conflict do nothing
), noted as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, sha256)
    select task_id, fence, worker_id, began_at, 'done', sha256 from ended
), done as (
    insert into task_done (task_id, content_key, state)
    select task_id, content_key, 'done' from ended
)
select task_id, content_key, gathers, position from locked where gathers or mine
