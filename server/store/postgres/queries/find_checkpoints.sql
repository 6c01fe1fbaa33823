-- SPDX-License-Identifier: BSD-3-Clause
select task_id, checkpoint_sha256, checkpoint_bytes, checkpoint_step from task
where task_id = any ($1::bigint[]) and checkpoint_sha256 <> ''
