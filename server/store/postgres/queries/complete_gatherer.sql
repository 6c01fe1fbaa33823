-- SPDX-License-Identifier: BSD-3-Clause
with ended as (
    delete from task
    where task_id = $1 and fence = $2 and worker_id = $3 and state = 'running'
    returning task_id, content_key
), result as (
    insert into artifact (content_key, sha256, bytes, uri)
    select content_key, $4, $5, $6 from ended where not $7::boolean
    on conflict do nothing
), told as (
    update attempt set outcome = 'done', sha256 = $4, ended_at = store_now()
    where task_id = $1 and fence = $2 and exists (select 1 from ended)
)
insert into task_done (task_id, content_key, state)
select task_id, content_key, 'done' from ended
returning content_key
