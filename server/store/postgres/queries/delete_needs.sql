-- SPDX-License-Identifier: BSD-3-Clause
delete from task_need where needs = any ($1::text[])
