-- SPDX-License-Identifier: BSD-3-Clause
-- Those of workers while they live.
select c.kind, c.value, c.host, c.reason, extract(epoch from c.since), c.set_by
from cordon c
where c.kind <> 'worker'
   or exists (select from worker w where w.worker_id = c.value and not w.lost)
order by c.kind, c.value
