-- SPDX-License-Identifier: BSD-3-Clause
-- A worker of an earlier version, at its first call under this one.
update worker set token_id = $2
where worker_id = $1 and token_id = ''
