-- SPDX-License-Identifier: BSD-3-Clause
select state from job where job_id = $1 for update
