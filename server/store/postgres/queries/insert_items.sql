-- SPDX-License-Identifier: BSD-3-Clause
-- $12: place of the first. needs and gathers come as one text per item, keys separated by commas.
insert into job_item (job_id, ordinal, content_key, verb, compat_key, pool, label, payload, needs,
                      gathers, source, level)
select $1, $12::bigint + position - 1, content_key, verb, compat_key, pool, label, payload,
       string_to_array(needs, ','), string_to_array(gathers, ','), source, level
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
            $9::text[], $10::boolean[], $11::integer[])
     with ordinality as item (content_key, verb, compat_key, pool, label, payload, needs, gathers,
                              source, level, position)
