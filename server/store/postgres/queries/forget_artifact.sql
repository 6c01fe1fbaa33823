-- SPDX-License-Identifier: BSD-3-Clause
delete from artifact where content_key = $1
