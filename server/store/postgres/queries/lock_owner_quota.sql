-- SPDX-License-Identifier: BSD-3-Clause
-- Claims for an owner whose running tasks are bounded follow one another.
select 1 from owner_quota where owner = $1 for update
