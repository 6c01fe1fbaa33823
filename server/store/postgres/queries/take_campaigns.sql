-- SPDX-License-Identifier: BSD-3-Clause
-- $1 driver, $2 seconds
with due as (
    select d.campaign_id from campaign_drive d join campaign c using (campaign_id)
    where (c.state = 'active' or c.work <> '')
      and (d.driver_id = $1 or d.until <= store_now()
           or d.until > store_now() + interval '1 hour')  -- the clock was set back
    order by c.position
    for update of d skip locked
), taken as (
    update campaign_drive d
    set driver_id = $1, until = store_now() + $2::float8 * interval '1 second'
    from due where d.campaign_id = due.campaign_id
    returning d.campaign_id
)
select campaign_id from taken
