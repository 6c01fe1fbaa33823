-- SPDX-License-Identifier: BSD-3-Clause
delete from worker w
where w.worker_id = $1 and not w.lost
  and not exists (select from task t where t.worker_id = w.worker_id and t.state = 'running')
