-- SPDX-License-Identifier: BSD-3-Clause
with gone as (
    delete from task_count returning state, n
)
insert into task_count (state, n)
select state, sum(n) from gone group by state having sum(n) <> 0
