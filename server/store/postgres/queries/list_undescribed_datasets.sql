-- SPDX-License-Identifier: BSD-3-Clause
select d.job_id, j.spec
from dataset d join job j using (job_id)
where not d.described
order by d.position desc
limit $1
