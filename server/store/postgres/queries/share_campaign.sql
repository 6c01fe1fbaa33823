-- SPDX-License-Identifier: BSD-3-Clause
-- Nobody pauses, resumes or cancels it until this transaction ends. $2 turn; 0: any.
select state from campaign where campaign_id = $1 and ($2::bigint = 0 or turn = $2) for share
