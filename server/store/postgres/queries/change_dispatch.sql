-- SPDX-License-Identifier: BSD-3-Clause
-- $2 native id, $3 state, $4 reason, $5 exit code or empty
update dispatch
set native_id = $2, state = $3, reason = $4, exit_code = nullif($5, '')::integer,
    changed_at = store_now(), ended_at = case when $3 = 'ended' then store_now() end
where dispatch_id = $1 and state <> 'ended'
returning 1
