-- SPDX-License-Identifier: BSD-3-Clause
select count(*) filter (where state = 'blocked'), count(*) filter (where state = 'ready'),
       count(*) filter (where state = 'running')
from task
