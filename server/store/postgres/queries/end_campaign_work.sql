-- SPDX-License-Identifier: BSD-3-Clause
update campaign set work = '' where campaign_id = $1 and turn = $2
