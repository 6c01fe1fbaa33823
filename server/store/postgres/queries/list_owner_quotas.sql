-- SPDX-License-Identifier: BSD-3-Clause
select owner, coalesce(queued, -1), coalesce(running, -1), coalesce(bytes, -1), weight
from owner_quota
order by owner
