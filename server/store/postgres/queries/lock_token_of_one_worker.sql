-- SPDX-License-Identifier: BSD-3-Clause
-- Whether the token is one worker's; locked, so that two cannot register at once.
select single from token
where token_id = $1
for update
