-- SPDX-License-Identifier: BSD-3-Clause
-- Whether there is one, without its specification, which may be megabytes.
select state from job where job_id = $1
