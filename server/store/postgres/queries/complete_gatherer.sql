-- SPDX-License-Identifier: BSD-3-Clause
with ended as (
    delete from task
    where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
    returning task_id, content_key, fence, worker_id, began_at
), result as (
    insert into artifact (content_key, sha256, bytes, uri)
    select content_key, $4, $5, $6 from ended where not $7::boolean
    on conflict do nothing
), told as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, sha256)
    select task_id, fence, worker_id, began_at, 'done', $4 from ended
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'done' from ended
returning content_key
