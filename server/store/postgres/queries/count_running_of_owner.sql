-- SPDX-License-Identifier: BSD-3-Clause
-- A statement of its own, behind the lock: its snapshot sees what the claim before it took.
select count(*) from task where state = 'running' and owner = $1
