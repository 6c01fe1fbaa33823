-- SPDX-License-Identifier: BSD-3-Clause
delete from job where job_id = $1
