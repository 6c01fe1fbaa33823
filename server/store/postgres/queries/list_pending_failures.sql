-- SPDX-License-Identifier: BSD-3-Clause
select content_key, error, last_task_id from failure_pending
