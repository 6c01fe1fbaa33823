-- SPDX-License-Identifier: BSD-3-Clause
-- The days for which its request stays known begin now.
with known as (
    update request set known_since = store_now() where job_id = $1
)
delete from job where job_id = $1
