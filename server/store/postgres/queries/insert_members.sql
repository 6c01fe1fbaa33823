-- SPDX-License-Identifier: BSD-3-Clause
-- $1 campaign, $5: place of the first
insert into campaign_member (campaign_id, ordinal, label, value_list, spec)
select $1, $5::bigint + position - 1, label, value_list, spec
from unnest($2::text[], $3::text[], $4::text[]) with ordinality
     as member (label, value_list, spec, position)
