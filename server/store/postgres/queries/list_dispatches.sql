-- SPDX-License-Identifier: BSD-3-Clause
-- $1 place or empty, $2 seconds
select dispatch_id, place, pool, native_id, state, reason, coalesce(exit_code::text, ''),
       extract(epoch from intended_at), coalesce(extract(epoch from ended_at), 0)
from dispatch
where ($1 = '' or place = $1)
  and (state <> 'ended' or ended_at > store_now() - interval '1 second' * $2::float8)
order by intended_at, dispatch_id
