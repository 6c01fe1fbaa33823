-- SPDX-License-Identifier: BSD-3-Clause
delete from job_planting where job_id = $1
