-- SPDX-License-Identifier: BSD-3-Clause
-- Work that ended between the look at the artifacts and the creation of its task.
delete from task t
using artifact a
where t.content_key = any ($1::text[]) and a.content_key = t.content_key
returning t.content_key
