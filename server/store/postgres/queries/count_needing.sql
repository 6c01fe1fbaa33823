-- SPDX-License-Identifier: BSD-3-Clause
-- How many tasks need one of $1; at most one more than $2.
select count(*) from (select 1 from task_need where needs = any ($1::text[]) and not gathered
                      limit $2::integer + 1) n
