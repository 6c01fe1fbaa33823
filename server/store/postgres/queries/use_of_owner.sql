-- SPDX-License-Identifier: BSD-3-Clause
-- Tasks that its jobs wait for, those that run for it, bytes of its jobs' results, each file once.
select (select coalesce(sum(n_live), 0) from job where owner = $1 and state = 'active'),
       (select count(*) from task where state = 'running' and owner = $1),
       (select coalesce(sum(bytes), 0)
        from (select i.sha256, max(i.bytes) as bytes
              from job j join job_item i using (job_id)
              where j.owner = $1 and i.state = 'done'
              group by i.sha256) f)
