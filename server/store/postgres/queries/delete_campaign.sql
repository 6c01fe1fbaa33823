-- SPDX-License-Identifier: BSD-3-Clause
with known as (
    update request set known_since = store_now() where job_id = $1
), free as (
    update job set campaign_id = '' where campaign_id = $1 and campaign_id <> ''
), found_alone as (
    update dataset set campaign_id = '' where campaign_id = $1 and campaign_id <> ''
)
delete from campaign where campaign_id = $1
