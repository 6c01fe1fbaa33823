-- SPDX-License-Identifier: BSD-3-Clause
update campaign c
set state = case when exists (select from campaign_member m left join job j on j.job_id = m.job_id
                              where m.campaign_id = c.campaign_id
                                and case when m.state = 'submitted' then j.state else m.state end
                                    is distinct from 'done')
                 then 'failed' else 'done' end,
    ended_at = store_now(), turn = turn + 1
where c.campaign_id = $1 and c.state = 'active' and c.work = ''
  and not exists (select from campaign_member m
                  where m.campaign_id = c.campaign_id and m.state = 'waiting')
  and not exists (select from job j
                  where j.campaign_id = c.campaign_id and j.campaign_id <> '' and j.state = 'active')
returning 1
