-- SPDX-License-Identifier: BSD-3-Clause
delete from failure_pending where content_key = $1
