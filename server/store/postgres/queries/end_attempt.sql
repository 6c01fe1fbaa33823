-- SPDX-License-Identifier: BSD-3-Clause
update attempt set outcome = $3, error = $4, ended_at = store_now()
where task_id = $1 and fence = $2
