-- SPDX-License-Identifier: BSD-3-Clause
delete from release_pending where content_key = $1
