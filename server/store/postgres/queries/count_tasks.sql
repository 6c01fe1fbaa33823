-- SPDX-License-Identifier: BSD-3-Clause
select coalesce(sum(n) filter (where state = 'blocked'), 0),
       coalesce(sum(n) filter (where state = 'ready'), 0),
       coalesce(sum(n) filter (where state = 'running'), 0),
       coalesce(sum(n) filter (where state = 'held'), 0)
from task_count
