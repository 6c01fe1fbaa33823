-- SPDX-License-Identifier: BSD-3-Clause
-- Checkpoints are not kept with a backup.
update task set checkpoint_sha256 = '', checkpoint_bytes = 0, checkpoint_step = 0
where checkpoint_sha256 <> ''
