-- SPDX-License-Identifier: BSD-3-Clause
-- $1 keys, locked
update task t set hold = false
where t.content_key = any ($1::text[]) and t.hold
  and not nobody_starts(t.content_key, t.campaign_id)
returning t.content_key
