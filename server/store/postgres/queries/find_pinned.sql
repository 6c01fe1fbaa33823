-- SPDX-License-Identifier: BSD-3-Clause
select 1 from dataset where job_id = $1 and pinned
