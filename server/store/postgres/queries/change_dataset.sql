-- SPDX-License-Identifier: BSD-3-Clause
update dataset set tags = $2, pinned = $3 where job_id = $1
