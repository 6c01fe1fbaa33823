-- SPDX-License-Identifier: BSD-3-Clause
update campaign_member
set state = case when $4 = '' then 'submitted' else 'refused' end, error = $4
where campaign_id = $1 and ordinal = $2 and round = $3 and state = 'waiting'
  and ($4 <> '' or job_id <> '')
