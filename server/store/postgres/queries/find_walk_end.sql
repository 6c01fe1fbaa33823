-- SPDX-License-Identifier: BSD-3-Clause
-- The position that so many datasets are at or above, below $1; 0: there are not so many.
select coalesce((select position from dataset
                 where made_at is not null and position < $1
                 order by position desc
                 offset $2 limit 1), 0)
