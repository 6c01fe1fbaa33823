-- SPDX-License-Identifier: BSD-3-Clause
select 1 from worker where worker_id = $1 and not lost
