-- SPDX-License-Identifier: BSD-3-Clause
-- $1: the longest wait there is, in seconds. The clock was ahead when a later end was written.
update task
set run_at = store_now()
where state = 'ready' and run_at > store_now() + ($1::float8 * interval '1 second')
returning 1
