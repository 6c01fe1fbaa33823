-- SPDX-License-Identifier: BSD-3-Clause
update campaign_drive set reason = $2 where campaign_id = $1 and reason <> $2
