-- SPDX-License-Identifier: BSD-3-Clause
insert into campaign_drive (campaign_id) values ($1)
