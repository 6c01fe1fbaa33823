-- SPDX-License-Identifier: BSD-3-Clause
update campaign_drive set until = '-infinity' where driver_id = $1
