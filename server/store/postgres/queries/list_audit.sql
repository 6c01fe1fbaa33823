-- SPDX-License-Identifier: BSD-3-Clause
-- Newest first, before event $1.
select event_id, extract(epoch from at), principal, role, method, resource, outcome
from audit
where event_id < $1
order by event_id desc
limit $2
