-- SPDX-License-Identifier: BSD-3-Clause
-- $1 days for which a request is known after its job was deleted.
delete from request r
where r.known_since < store_now() - $1::integer * interval '1 day'
  and not exists (select 1 from job j where j.job_id = r.job_id)
  and not exists (select 1 from campaign c where c.campaign_id = r.job_id)
