-- SPDX-License-Identifier: BSD-3-Clause
select 1 from result_upload where token_id = $1 and sha256 = $2
