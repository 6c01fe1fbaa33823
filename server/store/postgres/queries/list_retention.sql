-- SPDX-License-Identifier: BSD-3-Clause
-- All datasets, the oldest first, and whether nothing needs them.
select d.job_id, d.sha256, d.bytes, extract(epoch from store_now() - d.made_at),
       not d.pinned and d.campaign_id = '' and j.state <> 'active'
from dataset d join job j using (job_id)
where d.made_at is not null
order by d.made_at, d.position
