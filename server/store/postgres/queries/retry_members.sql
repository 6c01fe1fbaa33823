-- SPDX-License-Identifier: BSD-3-Clause
update campaign_member m
set state = 'waiting', round = round + 1, error = ''
from (select k.ordinal from campaign_member k left join job j on j.job_id = k.job_id
      where k.campaign_id = $1
        and case when k.state = 'submitted' then j.state else k.state end
            in ('failed', 'cancelled', 'refused')) w
where m.campaign_id = $1 and m.ordinal = w.ordinal
returning 1
