-- SPDX-License-Identifier: BSD-3-Clause
delete from task_need where content_key = any ($1::text[])
