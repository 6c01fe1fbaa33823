-- SPDX-License-Identifier: BSD-3-Clause
update worker set draining = $2
where worker_id = $1 and not lost
returning 1
