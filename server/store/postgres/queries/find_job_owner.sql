-- SPDX-License-Identifier: BSD-3-Clause
select owner from job where job_id = $1
