-- SPDX-License-Identifier: BSD-3-Clause
-- Files of checkpoints lie in a folder of their own; those that lie among the results are no longer
-- anybody's, and stay where they are: something else may have their hash. Tasks that had one begin
-- at their first step.
update task set checkpoint_sha256 = '', checkpoint_bytes = 0, checkpoint_step = 0
where checkpoint_sha256 <> '';
delete from checkpoint_file;
