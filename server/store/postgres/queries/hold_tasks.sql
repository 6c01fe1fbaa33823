-- SPDX-License-Identifier: BSD-3-Clause
-- $1 keys of one level, locked, after those above it: all that nobody would have start, and nothing
-- that may start waits for. Those that run come back as held ones.
update task t set hold = true
where t.content_key = any ($1::text[]) and not t.hold
  and nobody_starts(t.content_key, t.campaign_id)
  and not exists (select from task_need n join task w on w.content_key = n.content_key
                  where n.needs = t.content_key and not w.hold)
returning t.content_key
