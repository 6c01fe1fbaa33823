-- SPDX-License-Identifier: BSD-3-Clause
-- Positions below $1: that of the newest dataset, and that of the one $2 further; 0: there is none.
select coalesce((select position from dataset
                 where made_at is not null and position < $1
                 order by position desc
                 limit 1), 0),
       coalesce((select position from dataset
                 where made_at is not null and position < $1
                 order by position desc
                 offset $2 limit 1), 0)
