-- SPDX-License-Identifier: BSD-3-Clause
delete from claim_answer where claimed_at < store_now() - ($1::float8 * interval '1 second')
