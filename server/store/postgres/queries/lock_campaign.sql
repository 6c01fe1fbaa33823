-- SPDX-License-Identifier: BSD-3-Clause
-- Against all others that change it, or create or hold tasks for it.
select state, turn from campaign where campaign_id = $1 for no key update
