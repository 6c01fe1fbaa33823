-- SPDX-License-Identifier: BSD-3-Clause
insert into campaign (campaign_id, owner, title, priority, axes, cost, tasks_at_once, hours, bytes)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
