-- SPDX-License-Identifier: BSD-3-Clause
-- The days for which its request stays known begin now. Tasks that live on for others keep the files
-- of this job's specification.
with known as (
    update request set known_since = store_now() where job_id = $1
), kept as (
    insert into task_file (content_key, sha256)
    select distinct i.content_key, f.sha256
    from job_item i
    join task t on t.content_key = i.content_key and t.payload = i.payload
    join job_file f on f.job_id = i.job_id
    where i.job_id = $1
    on conflict do nothing
)
delete from job where job_id = $1
