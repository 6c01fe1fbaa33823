-- SPDX-License-Identifier: BSD-3-Clause
-- $1 campaign, $2 labels, $3 specifications: labels that are there, and whether it is the same
select m.label, m.spec = k.spec
from unnest($2::text[], $3::text[]) as k (label, spec)
join campaign_member m on m.campaign_id = $1 and m.label = k.label
