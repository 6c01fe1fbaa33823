-- SPDX-License-Identifier: BSD-3-Clause
-- blocked_by comes as one text per item, keys separated by commas.
insert into job_item (job_id, ordinal, content_key, kind, compat_key, pool, label, payload,
                      blocked_by)
select $1, position - 1, content_key, kind, compat_key, pool, label, payload,
       string_to_array(blocked_by, ',')
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
     with ordinality as item (content_key, kind, compat_key, pool, label, payload, blocked_by,
                              position)
